"""Takes decoration off a line: escape codes, carriage-return redraws, backspaces, progress bars glued before text."""

from __future__ import annotations

from firstfault.lazy import Lazy

_ESCAPES = Lazy(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]+[0-~]|[0-Z\\-~])")
_BACKSPACE = Lazy(r"[^\x08]\x08")
_BAR = Lazy(r"^.{0,400}?\d+%\|[^|]*\|(?:[^\[\r]{0,60}\[[^\]]*\])?(?=\S)")
_OF_ANOTHER_RANK = Lazy(r"^(?:\[\w+\]:)?\[rank(?P<own>\d{1,7})\]:.{0,4000}?\S(?=\[rank(?!(?P=own)\])\d{1,7}\]:(?: |\[[IWEF]\d))")
LONGEST = 16_384
"""Characters of one line that are looked at; more is never needed to recognise a failure."""


def decode(raw: bytes) -> str:
    """Bytes of one line as text: UTF-8, or Latin-1 where that fails."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def segments(raw: bytes) -> list[str]:
    """What a terminal would have shown of a line, one item for each redraw that carriage returns made."""
    text = decode(raw[:LONGEST])
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    while "\x08" in text:
        shorter = _BACKSPACE.sub("", text).lstrip("\x08")
        if shorter == text:
            break
        text = shorter
    text = text.replace("\x00", "")
    if "\r" in text:
        parts = [part for part in text.split("\r") if part.strip()]
        return parts or [""]
    return [text]


def torn_apart(text: str) -> list[str]:
    """The lines of several ranks that stand on one, since two processes wrote to one terminal and a line feed came too late."""
    parts: list[str] = []
    while text.count("[rank") > 1 and (match := _OF_ANOTHER_RANK.match(text)):
        parts.append(match[0])
        text = text[match.end() :]
    return [*parts, text]


def without_bar(text: str) -> str:
    """The text that follows a progress bar on the same line, or the text itself."""
    while "%|" in text:
        match = _BAR.match(text)
        if not match:
            break
        text = text[match.end() :]
    return text
