"""Makes one scan of the scans of a text's pieces."""

from __future__ import annotations

from collections.abc import Iterable

from firstfault.model import Block, Finding, ProcessExit, Provenance, SourceInfo, SourceScan
from firstfault.scan.folded import MOST_FINDINGS, Alike, Folded, Key
from firstfault.scan.moved import moved_block, moved_finding
from firstfault.scan.run_facts import RunFacts
from firstfault.scan.segments import Ending, Segments


def merge(segments: Segments, ending: Ending, info: SourceInfo, identity: Provenance) -> SourceScan:
    """The scan of the whole text, whose pieces were all scanned."""
    folded = Folded()
    exits: list[ProcessExit] = []
    facts = RunFacts()
    blocks = _Blocks()
    line = 1
    for item in segments.done:
        found, by = item.found, line - item.first_line
        line += item.piece.feeds
        if found.groups:
            blocks.add(found.groups, by)
        if found.exits:
            exits.extend(e._replace(line=e.line + by) if by else e for e in found.exits)
        facts.follow(found.facts)
    folded.extend(blocks.groups)
    if ending.loss is not None:
        folded.add(ending.loss, alike=("loss", ending.loss.signature))
    return SourceScan(
        info=info,
        findings=folded.findings,
        exits=tuple(sorted(exits, key=lambda e: e.line)[:MOST_FINDINGS]),
        progress=ending.progress,
        worlds=facts.worlds,
        introductions=facts.introductions,
        sections=facts.sections,
        identity=identity,
        hosts=facts.hosts,
        attempts=facts.attempts,
        ending=ending.last,
    )


_Place = tuple[str, int, int]


class _Blocks:
    """The blocks of the text at their present lines, and what was found in each."""

    def __init__(self) -> None:
        self.groups: list[tuple[Key, Alike]] = []
        self._blocks: dict[Block, Block] = {}
        self._known: dict[_Place, tuple[Alike, int]] = {}

    def add(self, groups: Iterable[tuple[Key, Alike]], by: int) -> None:
        """Take what a piece gave, at present lines."""
        fresh: dict[_Place, tuple[Alike, int]] = {}
        for key, group in groups:
            moved = Alike([], group.more)
            for finding in group.kept:
                self._place(finding, by, moved, fresh)
            if moved.kept:
                self.groups.append((key, moved))
        self._known.update(fresh)

    def _place(self, finding: Finding, by: int, group: Alike, fresh: dict[_Place, tuple[Alike, int]]) -> None:
        """Put a finding into its group, in the block that it shares with others. An exception whose message reaches over several
        pieces may be recognised in each of them: that is one finding."""
        if finding.block is None:
            group.kept.append(moved_finding(finding, by, None))
            return
        block = moved_block(finding.block, by)
        block = self._blocks.setdefault(block, block)
        place = (finding.signature, finding.line + by, id(block))
        if place in self._known:
            earlier, index = self._known[place]
            earlier.kept[index] = _joined(earlier.kept[index], finding)
            return
        fresh[place] = (group, len(group.kept))
        group.kept.append(moved_finding(finding, by, block))


def _joined(finding: Finding, other: Finding) -> Finding:
    captures = {**dict(other.captures), **dict(finding.captures)}
    patterns = tuple(sorted({*finding.patterns, *other.patterns}))
    return finding._replace(patterns=patterns, captures=tuple(captures.items()), nearby=finding.nearby or other.nearby)
