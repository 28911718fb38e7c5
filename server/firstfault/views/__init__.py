"""The surfaces: each turns one report into text."""
