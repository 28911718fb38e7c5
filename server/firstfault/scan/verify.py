"""Decides whether a line really is the failure that one of its literals hints at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

import regex

from firstfault.catalog.compiled import Signature
from firstfault.model import Frame

TIME_LIMIT = 0.25
"""Seconds one pattern may take on one text; a pattern that needs longer is taken as not matching."""


@lru_cache(maxsize=8192)
def compiled(pattern: str) -> regex.Pattern[str]:
    """A compiled pattern of the catalogue."""
    return regex.compile(pattern)


def found(pattern: str, text: str) -> regex.Match[str] | None:
    """First match of a pattern in a text, within the time limit."""
    try:
        return compiled(pattern).search(text, timeout=TIME_LIMIT)
    except TimeoutError:
        return None


def frames_text(frames: Iterable[Frame]) -> str:
    """Frames as one text for the `frames` patterns: file, function and source line of each."""
    return "\n".join(f'File "{f.file}", in {f.function}\n    {f.source}' for f in frames)


class Verified:
    """Outcome for one signature at one text: which patterns matched, what they captured."""

    __slots__ = ("captures", "nearby", "patterns", "position")

    def __init__(self) -> None:
        self.patterns: list[int] = []
        self.captures: dict[str, str] = {}
        self.nearby = False
        self.position = 0


def verify(
    signature: Signature,
    candidates: Iterable[int],
    text: str,
    *,
    is_exception: bool,
    frames: Callable[[], str],
    nearby: Callable[[str], bool],
) -> Verified | None:
    """Try the candidate patterns of a signature on a text; None when none matches or an exclusion does."""
    outcome = Verified()
    lowered = text.lower()
    for number in candidates:
        pattern = signature.patterns[number]
        if (pattern.exception_only and not is_exception) or pattern.near.lower() not in lowered:
            continue
        match = found(pattern.line, text)
        if match is None:
            continue
        if pattern.frames and not found(pattern.frames, frames()):
            continue
        if pattern.nearby:
            if not nearby(pattern.nearby):
                continue
            outcome.nearby = True
        if not outcome.patterns:
            outcome.position = match.start()
        outcome.patterns.append(number)
        for name, value in match.groupdict().items():
            if value is not None:
                outcome.captures.setdefault(name, value.strip())
    if not outcome.patterns or any(found(x, text) for x in signature.exclude):
        return None
    return outcome
