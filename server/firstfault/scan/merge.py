"""Makes one scan of the scans of a text's pieces."""

from __future__ import annotations

from collections.abc import Iterable

from firstfault.model import Block, Finding, ProcessExit, Provenance, SourceInfo, SourceScan
from firstfault.scan.folded import MOST_FINDINGS, Alike, Folded, Key
from firstfault.scan.moved import moved_block, moved_finding
from firstfault.scan.segments import Ending, Segments


def merge(segments: Segments, ending: Ending, info: SourceInfo, identity: Provenance) -> SourceScan:
    """The scan of the whole text, whose pieces were all scanned."""
    folded = Folded()
    exits: list[ProcessExit] = []
    worlds: list[int] = []
    hosts: dict[str, None] = {}
    blocks: dict[Block, Block] = {}
    line = 1
    for item in segments.done:
        found, by = item.found, line - item.first_line
        line += item.piece.feeds
        if found.groups:
            folded.extend(_moved_groups(found.groups, by, blocks))
        if found.exits:
            exits.extend(e._replace(line=e.line + by) if by else e for e in found.exits)
        if found.facts.world_size:
            worlds.append(found.facts.world_size)
        hosts.update(dict.fromkeys(found.facts.hosts))
    if ending.loss is not None:
        folded.add(ending.loss, alike=("loss", ending.loss.signature))
    return SourceScan(
        info=info,
        findings=folded.findings,
        exits=tuple(sorted(exits, key=lambda e: e.line)[:MOST_FINDINGS]),
        progress=ending.progress,
        world_size=max(worlds, default=None),
        identity=identity,
        hosts=tuple(hosts),
        ending=ending.last,
    )


def _moved_groups(groups: Iterable[tuple[Key, Alike]], by: int, blocks: dict[Block, Block]) -> Iterable[tuple[Key, Alike]]:
    for key, group in groups:
        yield key, Alike([_placed(f, by, blocks) for f in group.kept], group.more)


def _placed(finding: Finding, by: int, blocks: dict[Block, Block]) -> Finding:
    """The finding at its present line. Findings of one block share it, also those that later pieces gave."""
    block = finding.block
    if block is not None:
        block = moved_block(block, by)
        block = blocks.setdefault(block, block)
    return moved_finding(finding, by, block)
