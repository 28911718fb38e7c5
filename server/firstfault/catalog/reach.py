"""Shows an author how far each pattern of an entry got in an example."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from firstfault.catalog.entry import Pattern
from firstfault.catalog.library import Page
from firstfault.engine import Engine
from firstfault.model import Finding, Raised
from firstfault.read.provenance import Prefixes, choose
from firstfault.scan.verify import TIME_LIMIT, found, frames_text
from firstfault.wording import shortened

_WIDTH = 100
"""Characters of a line that are shown around the place where a pattern stopped."""


_NOTHING_YET = re.compile(r"(?:\||\((?:\?[\w:<>=!]*)?)$")
"""A regex that ends in an alternative or a group in which nothing stands yet."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A text as the scanner sees it: a line without its prefixes, or the whole text of an exception."""

    text: str
    raised: Raised | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """The longest beginning of a regex that still matches, with the text and the column (from 0) where it stopped."""

    prefix: str
    text: str
    column: int


def explain_miss(engine: Engine, page: Page, log: str) -> str:
    """Why no pattern of an entry recognises a text: a few lines for each pattern."""
    seen = list(_seen(engine, log))
    lines = [f"  the text: {shortened(log, _WIDTH)}"]
    if page.entry.id not in engine.catalog.by_id:
        return "\n".join([*lines, "  the entry is not in use: it is retired, or one of its regexes does not compile"])
    for number, pattern in enumerate(page.entry.recognise.any):
        reason = _reason(page, pattern, seen, log)
        lines.append(f"  pattern {number + 1} ({page.spot(('recognise', 'any', number, 'line'))}): {reason}")
    return "\n".join(lines)


def explain_hit(page: Page, findings: Sequence[Finding]) -> str:
    """Which patterns recognise a text that they must not."""
    lines: list[str] = []
    for finding in findings:
        text = shortened(finding.text, _WIDTH)
        lines.extend(f"  pattern {n + 1} ({page.spot(('recognise', 'any', n, 'line'))}) matches: {text}" for n in finding.patterns)
        if not finding.patterns:
            lines.append(f"  recognised from the numbers in the log, not by a pattern: {text}")
    return "\n".join(lines)


def _seen(engine: Engine, log: str) -> Iterator[_Seen]:
    lines = log.split("\n")
    formats, _ = choose(engine.catalog.line_formats, lines)
    prefixes = Prefixes(formats)
    for number, line in enumerate(lines, 1):
        for part in prefixes.split(line.encode(), number):
            yield _Seen(part.text)
    known: set[int] = set()
    for finding in engine.scan_text(log).findings:
        for raised in finding.block.raised if finding.block else ():
            if raised.line not in known:
                known.add(raised.line)
                yield _Seen(raised.message, raised)


def _reason(page: Page, pattern: Pattern, seen: Sequence[_Seen], log: str) -> str:
    near = pattern.near.lower()
    holding = [item for item in seen if near in item.text.lower()]
    if not holding:
        where = "stands only in what is taken off as the prefix of a line" if near in log.lower() else "does not stand in the text"
        return f'near "{pattern.near}" {where}'
    matching = [item for item in holding if found(pattern.line, item.text)]
    if not matching:
        return _stopped(longest_prefix(pattern.line, [item.text for item in holding]))
    return _refused(page, pattern, matching, log)


def _stopped(reach: Reach | None) -> str:
    if reach is None:
        return "near is there, but not even the first piece of the regex matches in that line"
    start = max(0, min(reach.column - _WIDTH // 2, len(reach.text) - _WIDTH))
    end_of_line = reach.text.find("\n", reach.column)
    line_start = reach.text.rfind("\n", 0, reach.column) + 1
    start = max(start, line_start)
    shown = reach.text[start : end_of_line if end_of_line >= 0 else None][:_WIDTH]
    caret = " " * (reach.column - start) + "^"
    return f"near is there; the regex matches as far as  {reach.prefix}\n    {shown}\n    {caret}"


def _refused(page: Page, pattern: Pattern, matching: Sequence[_Seen], log: str) -> str:
    if pattern.where == "exception":
        matching = [item for item in matching if item.raised]
        if not matching:
            return "the regex matches, but `in: exception` asks for the text of an exception and this is an ordinary line"
    frames = [frames_text(item.raised.frames) if item.raised else "" for item in matching]
    if pattern.frames and not any(found(pattern.frames, text) for text in frames):
        return "the regex matches, but `frames` does not match " + ("in the traceback" if any(frames) else "as there is no traceback")
    if pattern.nearby and not any(found(pattern.nearby, line) for line in log.split("\n")):
        return "the regex matches, but `nearby` matches no other line"
    for exclusion in page.entry.recognise.exclude:
        if any(found(exclusion, item.text) for item in matching):
            return f"the regex matches, but so does the exclusion {exclusion!r} under `not`"
    return "the regex matches this text alone, but the scanner reads it as part of something else"


def longest_prefix(pattern: str, texts: Sequence[str]) -> Reach | None:
    """The longest beginning of a regex that compiles and matches something in one of the texts."""
    for end in range(len(pattern), 0, -1):
        prefix = pattern[:end]
        if _NOTHING_YET.search(prefix):
            continue
        try:
            compiled = regex.compile(prefix + ")" * _open_groups(prefix))
        except regex.error:
            continue
        for text in texts:
            match = _search(compiled, text)
            if match and match.end() > match.start():
                return Reach(prefix, text, match.end())
    return None


def _open_groups(pattern: str) -> int:
    bare = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "", pattern)
    return max(0, bare.count("(") - bare.count(")"))


def _search(compiled: regex.Pattern[str], text: str) -> regex.Match[str] | None:
    try:
        return compiled.search(text, timeout=TIME_LIMIT)
    except TimeoutError:
        return None
