"""What was found, at other line numbers: the text before it has grown or shrunk."""

from __future__ import annotations

from firstfault.model import Block, Finding, Raised, SourceScan


def moved_block(block: Block, by: int) -> Block:
    """A block some lines further down."""
    if not by:
        return block
    raised = tuple(_moved_raised(r, by) for r in block.raised)
    return block._replace(start_line=block.start_line + by, end_line=block.end_line + by, raised=raised)


def moved_finding(finding: Finding, by: int, block: Block | None) -> Finding:
    """A finding some lines further down, in the block that was moved with it."""
    if not by:
        return finding if finding.block is block else finding._replace(block=block)
    raised = _moved_raised(finding.raised, by) if finding.raised else None
    return finding._replace(line=finding.line + by, end_line=finding.end_line + by, raised=raised, block=block)


def moved_scan(scan: SourceScan, by: int) -> SourceScan:
    """A scan of some lines as if it were of a text in which they stand further down."""
    blocks: dict[Block, Block] = {}
    findings: list[Finding] = []
    for finding in scan.findings:
        block = finding.block
        if block is not None:
            block = blocks.setdefault(block, moved_block(block, by))
        findings.append(moved_finding(finding, by, block))
    return scan._replace(
        findings=tuple(findings),
        exits=tuple(e._replace(line=e.line + by) for e in scan.exits),
        progress=tuple(p._replace(line=p.line + by) for p in scan.progress),
        ending=tuple((line + by, text) for line, text in scan.ending),
    )


def _moved_raised(raised: Raised, by: int) -> Raised:
    return raised._replace(line=raised.line + by, end_line=raised.end_line + by, start_line=raised.start_line + by)
