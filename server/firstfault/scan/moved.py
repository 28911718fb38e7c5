"""What was found, some lines further down: the text before it has grown or shrunk."""

from __future__ import annotations

from firstfault.model import Block, Finding, SourceScan
from firstfault.scan.renumbered import renumbered, renumbered_block, renumbered_finding


def moved_block(block: Block, by: int) -> Block:
    """A block some lines further down."""
    return renumbered_block(block, by.__add__) if by else block


def moved_finding(finding: Finding, by: int, block: Block | None) -> Finding:
    """A finding some lines further down, in the block that was moved with it."""
    if by:
        return renumbered_finding(finding, by.__add__, block)
    return finding if finding.block is block else finding._replace(block=block)


def moved_scan(scan: SourceScan, by: int) -> SourceScan:
    """A scan of some lines as if it were of a text in which they stand further down."""
    return renumbered(scan, by.__add__) if by else scan
