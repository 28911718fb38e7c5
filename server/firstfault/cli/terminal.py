"""What the terminal that standard output leads to can show."""

from __future__ import annotations

import os
import sys
from typing import TextIO, cast

from firstfault.errors import UnreadableInputError, UsageError
from firstfault.views.page import NARROWEST, WIDEST, Page


def output_page(*, ascii_only: bool = False) -> Page:
    """The page for standard output: its width, whether it shows colour, and whether it shows more than ASCII.
    Raises UsageError when standard output is closed."""
    stream = _standard_output()
    terminal = stream.isatty()
    return Page(width=_width(terminal), colour=_colour(terminal), ascii_only=ascii_only or not _unicode(stream))


def file_page(*, ascii_only: bool = False) -> Page:
    """The page for a text that goes to a file."""
    return Page(width=_width(terminal=False), colour=False, ascii_only=ascii_only)


def write(text: str) -> None:
    """Write to standard output, whatever its encoding; raises UsageError when it is closed, UnreadableInputError when it takes no more."""
    stream = _standard_output()
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still buffered would fail again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise UnreadableInputError(f"standard output cannot be written: {(error.strerror or str(error)).lower()}") from error


def _standard_output() -> TextIO:
    stream = cast("TextIO | None", sys.stdout)
    if stream is None:  # the shell closed it: `>&-`
        raise UsageError("standard output is closed")
    return stream


def _width(terminal: bool) -> int:
    if os.environ.get("COLUMNS", "").isdigit():
        return max(NARROWEST, min(int(os.environ["COLUMNS"]), WIDEST))
    return max(NARROWEST, min(os.get_terminal_size().columns, WIDEST)) if terminal else WIDEST


def _colour(terminal: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (terminal and os.environ.get("TERM") != "dumb")


def _unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "") in ("utf8", "utf16", "utf32")
