"""Who said each thing in a source: to look through, and to change by what other sources tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from firstfault.model import Finding, Progress, Provenance, SourceScan, process_of


def origins(scan: SourceScan) -> Iterator[Provenance]:
    """Who wrote the source by its name, and who said each thing that was kept of it."""
    yield scan.identity
    yield from (f.origin for f in scan.findings)
    yield from (p.origin for p in scan.progress)


def with_origins(scan: SourceScan, change: Callable[[Provenance], Provenance]) -> SourceScan:
    """The scan with each of its origins changed."""

    def finding(found: Finding) -> Finding:
        return found._replace(origin=change(found.origin))

    def progress(said: Progress) -> Progress:
        origin = change(said.origin)
        own = said.process == process_of(said.origin)
        return said._replace(origin=origin, process=process_of(origin) if own else said.process)

    return scan._replace(
        identity=change(scan.identity),
        findings=tuple(map(finding, scan.findings)),
        progress=tuple(map(progress, scan.progress)),
    )
