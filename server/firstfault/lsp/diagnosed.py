"""Everything known of one document or run at one version: what each feature is a pure function of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from firstfault.catalog.compiled import Catalog
from firstfault.correlate.decision import Decided, Decision, Explained
from firstfault.lsp.lines import Encoding, Lines
from firstfault.model import Block, Finding, SourceScan
from firstfault.report import Incident, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """A document with its diagnosis. `source` is the name under which the document stands in the report; a run of several
    sources has one `Diagnosed` for each of its documents, with the report of the whole run."""

    uri: str
    version: int | None
    source: str
    lines: Lines
    encoding: Encoding
    report: Report
    scans: tuple[SourceScan, ...]
    decision: Decision
    catalog: Catalog
    uris: Mapping[str, str] = field(default_factory=dict[str, str])
    """Documents of the report's other sources by name."""

    @property
    def incidents(self) -> Iterator[tuple[Incident, Decided]]:
        """Each incident of the report with the decision that it was made from."""
        yield from zip(self.report.incidents, self.decision.incidents, strict=True)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was recognised in this document, in order of lines."""
        return next((s.findings for s in self.scans if s.info.name == self.source), ())

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Tracebacks and other blocks of this document, each once, in order of lines."""
        unique = {(f.block.start_line, f.block.end_line): f.block for f in self.findings if f.block is not None}
        return tuple(unique[key] for key in sorted(unique))

    def uri_of(self, source: str) -> str | None:
        """The document of a source of the report."""
        return self.uri if source == self.source else self.uris.get(source)

    def core_line(self, number: int) -> int:
        """The core's line (1-based) for a line of the document (0-based)."""
        return self.lines.core_line(number)

    def incident_at(self, line: int) -> tuple[Incident, Decided] | None:
        """The incident that began at a line (1-based), or in the block that holds the line."""
        for incident, decided in self.incidents:
            suspect = decided.suspect
            if suspect.source != self.source or suspect.line is None:
                continue
            if suspect.line <= line <= max(suspect.line, suspect.end_line or 0):
                return incident, decided
            block = suspect.fault.best.block if suspect.fault else None
            if block is not None and suspect.line and block.start_line <= line <= block.end_line:
                return incident, decided
        return None

    def explained_at(self, line: int) -> tuple[Incident, Explained] | None:
        """The collateral at a line (1-based), with the incident that explains it."""
        for incident, decided in self.incidents:
            for explained in decided.explained:
                fault = explained.fault
                if fault.best.source == self.source and fault.start_line <= line <= fault.end_line:
                    return incident, explained
        return None
