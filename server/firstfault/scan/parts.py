"""Scans a source in parts, each among its neighbours, so that of a text that changes only some parts are scanned again."""

from __future__ import annotations

from typing import NamedTuple

from firstfault.model import Line, LineNumber, ProcessExit, Provenance
from firstfault.scan.coverage import Covered
from firstfault.scan.folded import Alike, Folded, Key
from firstfault.scan.run_facts import RunFacts
from firstfault.scan.scanner import MOST_REGIONS, SourceScanner
from firstfault.scan.window import Window


class Carry(NamedTuple):
    """What the lines before a part of a source mean for it."""

    section: Provenance | None = None
    """Who wrote the part, as the last heading said."""
    covered: tuple[Covered, ...] = ()
    """Blocks that reach into the part."""
    summary_end: LineNumber = 0


class PartFound(NamedTuple):
    """What one part of a source gave, and what it means for the next."""

    groups: tuple[tuple[Key, Alike], ...]
    exits: tuple[ProcessExit, ...]
    facts: RunFacts
    spans: tuple[tuple[LineNumber, LineNumber, tuple[object, ...]], ...]
    first: int | None
    """Where in the window the first line stands that hinted at anything."""
    reach: tuple[int, int]
    """Bytes before and behind the part that were looked at."""
    carry: Carry


class PartScanner(SourceScanner):
    """A scanner that is given parts of the source instead of all of it in order."""

    def window(self, data: bytes, first_line: LineNumber, section: Provenance | None = None) -> Window:
        """Some whole lines of the source, ready to be scanned in parts; `section` is who wrote the first of them."""
        sections = [(-1, section)] if section else []
        window = Window(data, first_line, 0, self._prefixes, sections)
        window.hits = self._prefilter.scan(data)
        for identifier, offset in window.hits:
            if self._prefilter.trigger(identifier) == "section":
                self._note_section(window, window.start_of(offset - 1), sections)
        return window

    def scan_part(self, window: Window, start: int, end: int, carry: Carry) -> PartFound:
        """Scan whole lines of a window; those around them are context."""
        self._covered = list(carry.covered)
        self._summary_end = carry.summary_end
        self._processed = start
        self._regions = MOST_REGIONS
        self._spans.clear()
        self._exits.clear()
        self.folded, self.facts = Folded(), RunFacts()
        self.facts.note_sections(who for offset, who in window.sections if start <= offset < end)
        window.low, window.high = start, end
        self._scan(window, end)
        section = window.section_at(end - 1)
        after = Carry(section)
        if self._covered or self._summary_end:
            following = window.number_of(end)
            after = Carry(section, tuple(self._reaching(following)), self._summary_end if self._summary_end >= following else 0)
        reach = (start - window.low, max(0, window.high - end))
        groups = tuple(self.folded.groups())
        return PartFound(groups, tuple(self._exits), self.facts, tuple(self._spans), self._first, reach, after)

    def settle(self) -> None:
        """Let what was in vain so far count for the parts that follow."""
        self._barren.settle()

    def shown(self, window: Window) -> list[Line]:
        """All lines of a window, as a terminal shows them."""
        return [line for _, line in self._region(window, 0, len(window.data))] if window.data else []
