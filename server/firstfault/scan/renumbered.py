"""What was found in a rewritten text, at the lines of the source that it was made from."""

from __future__ import annotations

from collections.abc import Callable

from firstfault.model import Block, Finding, LineNumber, Raised, SourceScan

Numbering = Callable[[LineNumber], LineNumber]


def renumbered(scan: SourceScan, of: Numbering) -> SourceScan:
    """A scan whose line numbers are those of the source."""
    blocks: dict[Block, Block] = {}
    findings: list[Finding] = []
    for finding in scan.findings:
        block = finding.block
        if block is not None:
            block = blocks.setdefault(block, _block(block, of))
        raised = _raised(finding.raised, of) if finding.raised else None
        findings.append(finding._replace(line=of(finding.line), end_line=of(finding.end_line), block=block, raised=raised))
    return scan._replace(
        findings=tuple(findings),
        exits=tuple(e._replace(line=of(e.line)) for e in scan.exits),
        progress=tuple(p._replace(line=of(p.line)) for p in scan.progress),
        ending=tuple((of(line), text) for line, text in scan.ending),
    )


def _block(block: Block, of: Numbering) -> Block:
    raised = tuple(_raised(r, of) for r in block.raised)
    return block._replace(start_line=of(block.start_line), end_line=of(block.end_line), raised=raised)


def _raised(raised: Raised, of: Numbering) -> Raised:
    return raised._replace(line=of(raised.line), end_line=of(raised.end_line), start_line=of(raised.start_line))
