"""From text to `Diagnosed`, keeping what an edit leaves as it was. Runs on worker threads and knows no protocol."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from firstfault.correlate.decision import Decision
from firstfault.engine import Engine, Reader
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.lines import Encoding, Lines, Piece
from firstfault.model import SourceInfo, SourceScan
from firstfault.read.rewriting import records_of
from firstfault.report import Report
from firstfault.scan.ending import end_of, lines_of
from firstfault.scan.merge import merge
from firstfault.scan.named_sources import enriched
from firstfault.scan.segments import Segments, rescan

_SAMPLE_PIECES = 4
"""Pieces at the beginning from which the line formats are chosen."""


class CancelledError(Exception):
    """The client no longer wants the answer."""


@dataclass(frozen=True, slots=True)
class TextScan:
    """The scan of one version of a text, with what makes the next one quick."""

    head: tuple[Piece, ...]
    reader: Reader
    segments: Segments
    scan: SourceScan | None
    """None when it was cancelled."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The diagnosis of one version of a document."""

    text: TextScan
    diagnosed: Diagnosed | None


def scan_text(engine: Engine, lines: Lines, name: str, earlier: TextScan | None, cancelled: Callable[[], bool]) -> TextScan:
    """Scan a text; of an earlier scan by the same engine everything is used that still holds."""
    head = lines.pieces[:_SAMPLE_PIECES]
    if earlier is not None and earlier.reader.engine is not engine:
        earlier = None
    start = _encoded(head)
    if records_of(start):
        scan = _scan_whole(engine, lines, name, cancelled)
        return TextScan(head, engine.reader(start, name, os.path.dirname(name)), Segments(), scan)
    reader = earlier.reader if earlier and _alike(earlier.head, head) else engine.reader(start, name, os.path.dirname(name))
    known = earlier.segments if earlier and _alike_reader(earlier.reader, reader) else Segments()
    segments = rescan(lines.pieces, known, reader.part_scanner(), cancelled)
    if not segments.complete:
        return TextScan(head, reader, segments, None)
    ending, segments = end_of(segments, reader.part_scanner())
    info = SourceInfo(name=name, kind="text", bytes=lines.size, lines=lines_of(segments.done), encoding="utf-8", layout=reader.layout)
    scan = enriched(merge(segments, ending, info, reader.identity), start, engine.catalog)
    return TextScan(head, reader, segments, scan)


def _scan_whole(engine: Engine, lines: Lines, name: str, cancelled: Callable[[], bool]) -> SourceScan | None:
    """Records are scanned as what they say, from first to last: an edit of one may change what comes of those behind it."""
    try:
        return engine.scan_blocks(_blocks(lines, cancelled), name, os.path.dirname(name), kind="text")
    except CancelledError:
        return None


def _blocks(lines: Lines, cancelled: Callable[[], bool]) -> Iterator[bytes]:
    for piece in lines.pieces:
        if cancelled():
            raise CancelledError
        yield _encoded([piece])


def _encoded(pieces: Sequence[Piece]) -> bytes:
    return "".join(piece.text for piece in pieces).encode("utf-8", "surrogatepass")


def _alike(one: Sequence[Piece], other: Sequence[Piece]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _alike_reader(one: Reader, other: Reader) -> bool:
    return one is other or (one.name == other.name and one.formats == other.formats and one.identity == other.identity)


def analyse(
    engine: Engine,
    document: tuple[str, int | None, str, Lines, Encoding],
    disabled: frozenset[str],
    earlier: Analysis | None,
    cancelled: Callable[[], bool],
) -> Analysis:
    """Diagnose a document given as URI, version, name, lines and encoding; without `diagnosed` when it was cancelled."""
    uri, version, name, lines, encoding = document
    text = scan_text(engine, lines, name, earlier.text if earlier else None, cancelled)
    if text.scan is None or cancelled():
        return Analysis(text, None)
    scan = without(text.scan, disabled)
    before = earlier.diagnosed if earlier else None
    if before is not None and before.catalog is engine.catalog and _same_answer(before.scans[0], scan):
        decision, report = before.decision, replace(before.report, sources=[scan.info])
    else:
        decision, report = decide(engine, (scan,))
    diagnosed = Diagnosed(
        uri=uri,
        version=version,
        source=name,
        lines=lines,
        encoding=encoding,
        report=report,
        scans=(scan,),
        decision=decision,
        catalog=engine.catalog,
    )
    return Analysis(text, diagnosed)


def decide(engine: Engine, scans: Sequence[SourceScan]) -> tuple[Decision, Report]:
    """Decision and report over scans."""
    decision = engine.decide(scans)
    return decision, engine.advise(decision)


def without(scan: SourceScan, disabled: frozenset[str]) -> SourceScan:
    """A scan without the findings of signatures that the user has switched off."""
    if not disabled or not any(f.signature in disabled for f in scan.findings):
        return scan
    return scan._replace(findings=tuple(f for f in scan.findings if f.signature not in disabled))


def _same_answer(one: SourceScan, other: SourceScan) -> bool:
    return one.info.name == other.info.name and one[1:] == other[1:]
