"""Files and folders as one run: read from the disk on a thread, with progress, until the client cancels."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from firstfault.correlate.decision import Decision
from firstfault.engine import Engine, common_folder
from firstfault.errors import UnreadableInputError
from firstfault.lsp.analysis import CancelledError, without
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.lines import Encoding, Lines, UnreadLines
from firstfault.lsp.workspace_files import path_of, uri_of
from firstfault.model import SourceScan
from firstfault.read.clean import decode
from firstfault.read.opening import Input, find_inputs, open_input, read_blocks
from firstfault.report import Report

MOST_HELD = 64 * 1024 * 1024
"""Bytes of files whose text is read again to place diagnostics in them; larger ones get diagnostics by line number."""


class Run(NamedTuple):
    """The diagnosis of files as one run."""

    report: Report
    decision: Decision
    scans: tuple[SourceScan, ...]
    unreadable: tuple[str, ...]
    uris: Mapping[str, str]


Progress = Callable[[int, int, str], None]
"""Told before each file: how many are done, how many there are, the name of the next."""


def diagnose_paths(
    engine: Engine, paths: Sequence[str], disabled: frozenset[str], cancelled: Callable[[], bool], progress: Progress
) -> Run:
    """Diagnose what paths or file URIs name; raises UnreadableInputError when nothing can be read, CancelledError when cancelled."""
    inputs = find_inputs([path_of(p) or p if p.startswith("file:") else p for p in paths])
    base = common_folder(inputs)
    scans: list[SourceScan] = []
    unreadable: list[str] = []
    for number, item in enumerate(inputs):
        progress(number, len(inputs), os.path.basename(item.name))
        try:
            scans.append(without(_scan(engine, item, base, cancelled), disabled))
        except UnreadableInputError as error:
            unreadable.append(str(error))
    if not scans:
        raise UnreadableInputError(unreadable[0] if unreadable else "nothing to read")
    decision = engine.decide(scans)
    report = engine.advise(decision, notes=unreadable)
    uris = {i.name: uri_of(i.path) for i in inputs if i.path is not None}
    return Run(report, decision, tuple(scans), tuple(unreadable), uris)


def _scan(engine: Engine, item: Input, base: str, cancelled: Callable[[], bool]) -> SourceScan:
    if item.path is None:
        raise UnreadableInputError("the server's standard input is no log; name files or folders")

    def check(*_: object) -> None:
        if cancelled():
            raise CancelledError

    check()
    return engine.scan_input(item, base, check)


def documents_of(engine: Engine, run: Run, encoding: Encoding) -> Iterator[Diagnosed]:
    """The files of a run in which something is to be shown."""
    shown = {e.source for i in run.report.incidents for e in i.evidence}
    shown |= {e.fault.best.source for d in run.decision.incidents for e in d.explained}
    held = 0
    for scan in run.scans:
        name = scan.info.name
        if name not in shown or name not in run.uris:
            continue
        held += scan.info.bytes
        yield Diagnosed(
            uri=run.uris[name],
            version=None,
            source=name,
            lines=_lines(name, run.uris[name]) if held <= MOST_HELD else UnreadLines(),
            encoding=encoding,
            report=run.report,
            scans=run.scans,
            decision=run.decision,
            catalog=engine.catalog,
            uris=run.uris,
        )


def _lines(name: str, uri: str) -> Lines:
    try:
        with open_input(Input(name, path_of(uri))) as stream:
            return Lines.of(decode(b"".join(read_blocks(stream, name))))
    except UnreadableInputError:
        return UnreadLines()
