"""Firstfault: which process of a dead training or serving run failed first, and why."""

__version__ = "0.1.0"
