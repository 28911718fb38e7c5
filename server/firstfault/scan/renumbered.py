"""What was found, at other line numbers: those of the source that a text was made from, or of a text that has grown or shrunk."""

from __future__ import annotations

from collections.abc import Callable

from firstfault.model import Block, Finding, LineNumber, Raised, SourceScan

Numbering = Callable[[LineNumber], LineNumber]


def renumbered(scan: SourceScan, of: Numbering) -> SourceScan:
    """A scan with other line numbers."""
    blocks: dict[Block, Block] = {}
    findings: list[Finding] = []
    for finding in scan.findings:
        block = finding.block
        if block is not None:
            block = blocks.setdefault(block, renumbered_block(block, of))
        findings.append(renumbered_finding(finding, of, block))
    return scan._replace(
        findings=tuple(findings),
        exits=tuple(e._replace(line=of(e.line)) for e in scan.exits),
        progress=tuple(p._replace(line=of(p.line)) for p in scan.progress),
        ending=tuple((of(line), text) for line, text in scan.ending),
    )


def renumbered_finding(finding: Finding, of: Numbering, block: Block | None) -> Finding:
    """A finding with other line numbers, in the block that has them already."""
    raised = _raised(finding.raised, of) if finding.raised else None
    return finding._replace(line=of(finding.line), end_line=of(finding.end_line), raised=raised, block=block)


def renumbered_block(block: Block, of: Numbering) -> Block:
    """A block with other line numbers."""
    raised = tuple(_raised(r, of) for r in block.raised)
    return block._replace(start_line=of(block.start_line), end_line=of(block.end_line), raised=raised)


def _raised(raised: Raised, of: Numbering) -> Raised:
    return raised._replace(line=of(raised.line), end_line=of(raised.end_line), start_line=of(raised.start_line))
