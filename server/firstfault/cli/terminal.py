"""What the terminal that standard output leads to can show."""

from __future__ import annotations

import os
import sys

from firstfault.views.page import NARROWEST, WIDEST, Page


def output_page(*, ascii_only: bool = False) -> Page:
    """The page for standard output: its width, whether it shows colour, and whether it shows more than ASCII."""
    terminal = sys.stdout.isatty()
    return Page(width=_width(terminal), colour=_colour(terminal), ascii_only=ascii_only or not _unicode())


def write(text: str) -> None:
    """Write to standard output, whatever its encoding."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))


def _width(terminal: bool) -> int:
    if os.environ.get("COLUMNS", "").isdigit():
        return max(NARROWEST, min(int(os.environ["COLUMNS"]), WIDEST))
    return max(NARROWEST, min(os.get_terminal_size().columns, WIDEST)) if terminal else WIDEST


def _colour(terminal: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (terminal and os.environ.get("TERM") != "dumb")


def _unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "") in ("utf8", "utf16", "utf32")
