"""Keeps what is found small: alike findings are counted, and of very many different ones the first and the last remain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from firstfault.model import Finding

KEPT_ALIKE = 4
"""Findings of one signature and process that are kept; more of them are only counted."""
MOST_FINDINGS = 4000
"""Findings of one source that are kept: half of them from its beginning, half from its end."""
_HALF = MOST_FINDINGS // 2

Key = tuple[object, ...]


@dataclass(slots=True)
class Alike:
    """Findings of one kind in one process."""

    kept: list[Finding] = field(default_factory=list[Finding])
    more: int = 0


class Folded:
    """The findings of a source in bounded memory."""

    def __init__(self) -> None:
        self._first: dict[Key, Alike] = {}
        self._last: dict[Key, Alike] = {}
        self._kept_first = 0
        self._kept_last = 0

    def __bool__(self) -> bool:
        """Whether anything was found."""
        return bool(self._first)

    def add(self, finding: Finding, alike: Key | None = None) -> None:
        """Keep or count a finding; `alike` says what it is alike with, by default its signature in its process."""
        who = finding.origin
        # What is found in an exception must not be counted away because plain lines before it said the same.
        said = finding.raised.message[:120] if finding.raised else None
        self._put(alike or (finding.signature, who.rank, who.local_rank, who.host, who.pid, who.label, who.task, said), (finding,), 0)

    def groups(self) -> Iterator[tuple[Key, Alike]]:
        """All that is kept, by kind."""
        yield from self._first.items()
        yield from self._last.items()

    def extend(self, groups: Iterable[tuple[Key, Alike]]) -> None:
        """Add what was folded for a later part of the source."""
        for key, group in groups:
            self._put(key, group.kept, group.more)

    def _put(self, key: Key, findings: Iterable[Finding], more: int) -> None:
        group = self._first.get(key)
        if group is None:
            if self._kept_first >= _HALF:
                self._put_last(key, findings, more)
                return
            group = self._first[key] = Alike()
        self._kept_first += _grow(group, findings, more)

    def _put_last(self, key: Key, findings: Iterable[Finding], more: int) -> None:
        group = self._last.pop(key, None) or Alike()
        self._last[key] = group
        self._kept_last += _grow(group, findings, more)
        while self._kept_last > _HALF:
            oldest = next(iter(self._last))
            self._kept_last -= len(self._last.pop(oldest).kept)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything kept, in order of lines; the last of a kind carries how many more there were."""
        out: list[Finding] = []
        for _, group in self.groups():
            *most, last = group.kept
            out.extend(most)
            out.append(last._replace(count=last.count + group.more) if group.more else last)
        return tuple(sorted(out, key=lambda f: (f.line, f.signature)))


def _grow(group: Alike, findings: Iterable[Finding], more: int) -> int:
    before = len(group.kept)
    for finding in findings:
        if len(group.kept) < KEPT_ALIKE:
            group.kept.append(finding)
        else:
            group.more += 1
    group.more += more
    return len(group.kept) - before
