"""The figures in the README, as ratios to other tools in the same run: `make bench`."""
