"""Whose code a frame of a traceback is in."""

from __future__ import annotations

from firstfault.model import Frame, Raised

_LIBRARY_MARKS = ("site-packages", "dist-packages", "/lib/python", "/lib64/python", "<frozen", "<string>", "importlib", "\\Lib\\")


def is_library(file: str) -> bool:
    """Whether a file belongs to an installed package or to Python itself."""
    return any(mark in file for mark in _LIBRARY_MARKS)


def own_frame(raised: Raised) -> Frame | None:
    """The innermost frame in the user's own code, or the innermost of all."""
    own = [f for f in raised.frames if not is_library(f.file)]
    return own[-1] if own else raised.frames[-1] if raised.frames else None
