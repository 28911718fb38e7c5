"""Output of a running command, scanned as it comes: memory does not grow with it, and the answer is there when it ends."""

from __future__ import annotations

import base64
import binascii

from firstfault.engine import SAMPLE, Engine, Reader
from firstfault.model import ProcessExit, SourceInfo, SourceScan
from firstfault.read.json_lines import JsonText
from firstfault.read.rewriting import records_of
from firstfault.scan.named_sources import enriched
from firstfault.scan.renumbered import renumbered
from firstfault.scan.scanner import SourceScanner

FEED = 64 * 1024
"""Bytes that are collected before they are scanned; single keystrokes are not worth a scan."""
_LEAST_SIGNAL = 128


class Stream:
    """One command's output."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self._pending = bytearray()
        self._half = ""
        """The first half of a surrogate pair that the client has split."""
        self._scanning: tuple[SourceScanner, Reader] | None = None
        self._records: JsonText | None = None
        """Rewrites the output where it is made of JSON records."""
        self._head = b""
        self.size = 0

    def append_text(self, text: str) -> None:
        """More output, as the client's terminal decoded it."""
        joined = self._half + text
        self._half = ""
        if joined and "\ud800" <= joined[-1] <= "\udbff":
            joined, self._half = joined[:-1], joined[-1]
        self._append(_encoded(joined))

    def append_base64(self, text: str) -> None:
        """More output as raw bytes, which may end within a character; raises ValueError when it is not base64."""
        try:
            data = base64.b64decode(text, validate=True)
        except binascii.Error as error:
            raise ValueError("base64 is not valid") from error
        self._append(data)

    def _append(self, data: bytes) -> None:
        self.size += len(data)
        self._pending += data
        if len(self._pending) >= FEED:
            self._feed(final=False)

    def close(self, exit_code: int | None) -> SourceScan:
        """All that the output has to say."""
        if self._half:
            self._append(_encoded(self._half))
        scanner, reader = self._feed(final=True)
        lines = self._records.lines.of(scanner.lines) if self._records else scanner.lines
        info = SourceInfo(name=self._name, kind="text", bytes=self.size, lines=lines, encoding="utf-8", layout=reader.layout)
        scan = scanner.result(info)
        scan = renumbered(scan, self._records.lines.of) if self._records else scan
        scan = enriched(scan, self._head, self._engine.catalog)
        killed = _killed(exit_code, scan)
        return scan._replace(exits=(*scan.exits, killed)) if killed else scan

    def _feed(self, *, final: bool) -> tuple[SourceScanner, Reader]:
        data = bytes(self._pending)
        self._pending.clear()
        scanner, reader = self._scanning or self._begin(data)
        if self._records:
            data = self._records.feed(data) + (self._records.finish() if final else b"")
        scanner.feed(data, final=final)
        return scanner, reader

    def _begin(self, data: bytes) -> tuple[SourceScanner, Reader]:
        self._head = data[:SAMPLE]
        layout = records_of(data)
        self._records = JsonText() if layout else None
        # The formats that the records' own texts have are chosen from a copy: what is fed below is to be rewritten once.
        sample = JsonText().feed(data) if layout else self._head
        reader = self._engine.reader(sample[:SAMPLE], self._name, records=layout)
        self._scanning = (reader.scanner(), reader)
        return self._scanning


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Halves of a pair that came in two messages are one character once they stand side by side.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def _killed(code: int | None, scan: SourceScan) -> ProcessExit | None:
    """What the shell says of a command that a signal ended. Other codes say nothing that the output does not say better: a
    test runner that reports failing tests has them too."""
    if code is None or not _LEAST_SIGNAL < code < 2 * _LEAST_SIGNAL or code - _LEAST_SIGNAL in (2, 13, 15):
        return None
    line = max(1, scan.info.lines)
    return ProcessExit(
        code=_LEAST_SIGNAL - code, reporter="shell", source=scan.info.name, line=line, text=f"the command ended with exit code {code}"
    )


class Streams:
    """The open streams, by the ids that clients chose."""

    def __init__(self) -> None:
        self._open: dict[str, Stream] = {}

    def open(self, number: str, stream: Stream) -> None:
        """Begin a stream; an older one of the same id is forgotten."""
        self._open[number] = stream

    def get(self, number: str) -> Stream | None:
        """An open stream."""
        return self._open.get(number)

    def take(self, number: str) -> Stream | None:
        """A stream that ends now."""
        return self._open.pop(number, None)
