"""The only place where the stages meet: reads and scans sources, then correlates and advises."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from firstfault import __version__
from firstfault.catalog.compiled import Catalog, load
from firstfault.correlate.clocks import on_wall_clock
from firstfault.correlate.decide import correlate
from firstfault.correlate.decision import Decision
from firstfault.correlate.period import within
from firstfault.errors import UnreadableInputError
from firstfault.model import Provenance, SourceInfo, SourceScan, Stamp
from firstfault.read.boot_clock import BootClock
from firstfault.read.intake import Intake
from firstfault.read.opening import Input, find_inputs, open_input, read_blocks
from firstfault.read.provenance import LineFormat, choose, identity_of
from firstfault.read.rewriting import ReadText, read_text
from firstfault.read.text import encoding_of, require_text, transcode
from firstfault.report import Report, Tool
from firstfault.scan.database_cache import DatabaseCache
from firstfault.scan.named_sources import enriched
from firstfault.scan.prefilter import Prefilter
from firstfault.scan.scanner import SourceScanner
from firstfault.scan.triggers import TRIGGERS
from firstfault.wording import plural

if TYPE_CHECKING:
    from firstfault.scan.parts import PartScanner

SAMPLE = 64 * 1024
WORTH_A_PROCESS = 32 * 1024 * 1024
"""Bytes from which on several inputs are read by several processes."""


_DUMPS = (b"\x80", b"{")
"""How a dump begins that is a pickle, or JSON."""

Watch = Callable[[str, int], None]
"""Told of every block of an input that was read: its name and its size in bytes."""


class Diagnosis(NamedTuple):
    """A report, and the inputs that could not be read."""

    report: Report
    unreadable: tuple[str, ...]


class Reader(NamedTuple):
    """How one source is read: which line formats it has, and what its name says about its writer."""

    engine: Engine
    name: str
    formats: list[LineFormat]
    layout: str | None
    identity: Provenance

    def scanner(self) -> SourceScanner:
        """A new scanner for the source."""
        return SourceScanner(self.engine.catalog, self.engine.prefilter, self.formats, self.identity, self.name)

    def part_scanner(self) -> PartScanner:
        """A new scanner for parts of the source."""
        from firstfault.scan.parts import PartScanner

        return PartScanner(self.engine.catalog, self.engine.prefilter, self.formats, self.identity, self.name)


class Engine:
    """A catalogue made ready for use. Holds no state of any run."""

    def __init__(self, catalog: Catalog | None = None) -> None:
        self.catalog = catalog or load()
        self.prefilter = Prefilter(self.catalog, TRIGGERS, DatabaseCache.of_user())

    def diagnose(
        self,
        arguments: Sequence[str],
        *,
        rank: int | None = None,
        jobs: int | None = None,
        watch: Watch | None = None,
        since: Stamp | None = None,
        until: Stamp | None = None,
        trace: bool = False,
    ) -> Diagnosis:
        """Read what the arguments name as one run; raises UnreadableInputError when nothing could be read.
        With `trace` the report lists every finding."""
        inputs = find_inputs(arguments)
        base = common_folder(inputs)
        problems: list[str] = []
        scans: list[SourceScan] = []
        for outcome in scan_all(self, inputs, base, jobs, watch):
            if isinstance(outcome, SourceScan):
                scans.append(outcome)
            else:
                problems.append(outcome)
        if not scans:
            raise UnreadableInputError(problems[0] if problems else "nothing to read")
        if not any(scan.info.bytes for scan in scans):
            raise UnreadableInputError(_empty(scans))
        report = self.report(within(on_wall_clock(scans), since, until), rank=rank, notes=problems, trace=trace)
        return Diagnosis(report, tuple(problems))

    def scan_input(self, item: Input, base: str = "", watch: Watch | None = None) -> SourceScan:
        """Scan one input; `watch` is told of each block that was read. Raises UnreadableInputError."""
        with open_input(item) as stream:
            blocks = read_blocks(stream, item.name)
            if watch is not None:
                blocks = _watched(blocks, item.name, watch)
            return self.scan_blocks(blocks, item.name, base, kind="file" if item.path else "stdin")

    def scan_text(self, text: str, name: str = "<text>") -> SourceScan:
        """Scan a text in memory."""
        return self.scan_blocks(iter([text.encode("utf-8", "surrogatepass")]), name, kind="text")

    def scan_blocks(self, blocks: Iterator[bytes], name: str, base: str = "", *, kind: str = "file") -> SourceScan:
        """Scan a stream of bytes; raises UnreadableInputError when it is no text, or gives nothing."""
        intake = Intake(blocks)
        first = intake.head()
        if first[:1] in _DUMPS:
            from firstfault.read.dumps import is_dump, scan_dump

            if is_dump(first):
                return scan_dump(intake.after(first), name, self.identity(name, base))
        encoding, skip = encoding_of(first)
        require_text(first, encoding, name)
        text = read_text(transcode(intake.after(first), encoding, skip))
        reader = self.reader(text.head, name, base, records=text.layout)
        scanner, boot = reader.scanner(), BootClock()
        for part, final in _marking_last(text):
            boot.note(part, final=final)
            scanner.feed(part, final=final)
        info = SourceInfo(
            name=name,
            kind=kind,  # pyright: ignore[reportArgumentType]
            bytes=intake.bytes,
            lines=text.lines.of(scanner.lines) if text.lines else scanner.lines,
            encoding=encoding,
            layout=reader.layout,
            truncated=intake.broken,
        )
        scan = scanner.result(info)._replace(boot=boot.boot)
        return enriched(_at_lines_of_source(scan, text), text.head, self.catalog)

    def reader(self, head: bytes, name: str, base: str = "", *, records: str | None = None) -> Reader:
        """How to read a source that begins with `head`; `records` is what wrote the JSON records that it was made from."""
        sample = head[:SAMPLE].decode("utf-8", "replace").split("\n")
        identity = self.identity(name, base)
        if records is None:
            formats, layout = choose(self.catalog.line_formats, sample)
            return Reader(self, name, formats, layout, identity)
        from firstfault.read.json_lines import RECORD, without_prefix

        formats, _ = choose(self.catalog.line_formats, [without_prefix(line) for line in sample])
        return Reader(self, name, [RECORD, *formats], records, identity)

    def identity(self, name: str, base: str = "") -> Provenance:
        """What the name of a source tells about its writer."""
        relative = os.path.relpath(name, base).replace(os.sep, "/") if base else name
        return identity_of(relative, self.catalog.path_formats)

    def report(self, scans: Sequence[SourceScan], *, rank: int | None = None, notes: Iterable[str] = (), trace: bool = False) -> Report:
        """Correlate what the sources say, and advise."""
        return self.advise(self.decide(scans, rank=rank), notes=notes, trace=trace)

    def decide(self, scans: Sequence[SourceScan], *, rank: int | None = None) -> Decision:
        """Correlate what the sources say."""
        return correlate(scans, self.catalog, only_rank=rank)

    def advise(self, decision: Decision, *, notes: Iterable[str] = (), trace: bool = False) -> Report:
        """The report of a decision; its incidents stand in the order of the decision's."""
        from firstfault.advise.compose import compose

        tool = Tool(name="firstfault", version=__version__, catalog=self.catalog.version, entries=len(self.catalog.signatures))
        return compose(decision, self.catalog, tool, (*notes, *_broken_off(decision.scans)), trace=trace)


def _marking_last(text: ReadText) -> Iterator[tuple[bytes, bool]]:
    part = text.head
    for following in text.rest:
        yield part, False
        part = following
    yield part, True


def _at_lines_of_source(scan: SourceScan, text: ReadText) -> SourceScan:
    if text.lines is None:
        return scan
    from firstfault.scan.renumbered import renumbered

    return renumbered(scan, text.lines.of)


def _empty(scans: Sequence[SourceScan]) -> str:
    return f"{scans[0].info.name}: the log is empty" if len(scans) == 1 else f"all {len(scans)} logs are empty"


def _broken_off(scans: Iterable[SourceScan]) -> Iterator[str]:
    for info in (scan.info for scan in scans):
        if info.truncated:
            yield f"{info.name} breaks off: only its first {plural(info.lines, 'line')} could be read"


def _watched(blocks: Iterator[bytes], name: str, watch: Watch) -> Iterator[bytes]:
    for block in blocks:
        watch(name, len(block))
        yield block


def scan_all(
    engine: Engine, inputs: Sequence[Input], base: str, jobs: int | None, watch: Watch | None = None
) -> Iterator[SourceScan | str]:
    """Scan inputs, in their order; a message instead of a scan where one cannot be read."""
    files = [i for i in inputs if i.path is not None]
    if jobs is None:
        total = sum(_size(i) for i in files)
        jobs = min(os.cpu_count() or 1, len(files)) if total >= WORTH_A_PROCESS else 1
    if jobs <= 1 or len(files) < 2 or len(files) != len(inputs):
        yield from (_scan_or_message(engine, item, base, watch) for item in inputs)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(max_workers=jobs, initializer=_start_worker) as pool:
        for item, outcome in zip(inputs, pool.map(_scan_in_worker, inputs, [base] * len(inputs)), strict=True):
            if watch is not None:
                watch(item.name, _size(item))
            yield outcome


def _size(item: Input) -> int:
    try:
        return os.path.getsize(item.path) if item.path else 0
    except OSError:
        return 0


def _scan_or_message(engine: Engine, item: Input, base: str, watch: Watch | None = None) -> SourceScan | str:
    try:
        return engine.scan_input(item, base, watch)
    except UnreadableInputError as error:
        return str(error)


_worker: list[Engine] = []
"""The engine of a worker process, made once when the process starts."""


def _start_worker() -> None:
    _worker.append(Engine())


def _scan_in_worker(item: Input, base: str) -> SourceScan | str:
    return _scan_or_message(_worker[0], item, base)


def common_folder(inputs: Sequence[Input]) -> str:
    """The folder below which names of inputs tell about their writers."""
    folders = [os.path.dirname(i.name) for i in inputs if i.path is not None]
    if not folders:
        return ""
    common = os.path.commonpath([os.path.abspath(f) for f in folders])
    return os.path.dirname(common) if len(folders) > 1 else common
