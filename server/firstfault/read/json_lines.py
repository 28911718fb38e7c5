"""Reads logs whose lines are JSON records as the texts that the records carry, each behind a prefix that says who wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain

from firstfault.read.json_records import Said, said_by
from firstfault.read.line_map import LineMap
from firstfault.read.provenance import LineFormat

_BEGIN, _BETWEEN, _END = "\x01", "\x02", "\x03"
"""Control characters that no log carries, around the fields that a record tells."""
_NAMES = ("iso", "epoch", "host", "pid", "level", "logger", "label", "rank", "local_rank")
RECORD = LineFormat(
    name="json-record",
    starts=_BEGIN,
    pattern=_BEGIN + "".join(f"(?:{name}=(?P<{name}>[^{_BETWEEN}{_END}]*){_BETWEEN})?" for name in _NAMES) + _END,
    after=False,
    vote=False,
)
"""The prefix of the texts that records were rewritten to."""

_SAMPLE_LINES = 40
_LEAST_SHARE = 0.6
_LONGEST_LEAD = 120
"""Bytes before a record that `kubectl logs --prefix --timestamps` and its like may put there."""
_CLEAN = str.maketrans({_BEGIN: None, _BETWEEN: None, _END: None, "\n": " ", "\r": " "})


def layout_of(head: bytes) -> str | None:
    """What writes such records, when a source that begins with `head` holds one JSON record a line, else None."""
    *lines, last = head.split(b"\n", _SAMPLE_LINES + 1)[: _SAMPLE_LINES + 1]
    sample = [line for line in (lines or [last]) if line.strip()]
    if sum(_begins(line) >= 0 for line in sample) < max(1, _LEAST_SHARE * len(sample)):
        return None
    said = [s for _, s in map(_said, sample) if s is not None]
    if len(said) < max(1, _LEAST_SHARE * len(sample)):
        return None
    layouts = [s.layout for s in said]
    return max(layouts, key=layouts.count)


def without_prefix(line: str) -> str:
    """A line of the rewritten text as its record carried it."""
    return line[line.find(_END) + 1 :] if line.startswith(_BEGIN) else line


class JsonText:
    """Rewrites a stream of JSON lines. What is no record stays as it is; `lines` leads back to the source."""

    def __init__(self) -> None:
        self.lines = LineMap()
        self._source = 1
        self._rewritten = 1
        self._ahead: int | None = 0
        """By how many lines the text is longer than the source so far."""
        self._open = ""
        self._carried: list[bytes] = []
        """Pieces of the record that has not come to its end."""

    def rewrite(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """The texts of the records, block by block."""
        for block in blocks:
            if text := self.feed(block):
                yield text
        yield self.finish()

    def feed(self, block: bytes) -> bytes:
        """The texts of the records that are whole once these bytes have come."""
        first, *rest = block.split(b"\n")
        self._carried.append(first)
        if not rest:
            return b""
        *whole, last = [b"".join(self._carried), *rest]
        self._carried = [last]
        return b"".join(chain.from_iterable(map(self._line, whole)))

    def finish(self) -> bytes:
        """The text of a last record without a line end."""
        left = b"".join(self._carried)
        self._carried = []
        return b"".join(self._line(left)) if left else b""

    def _line(self, raw: bytes) -> Iterator[bytes]:
        lead, said = _said(raw)
        if said is None:
            yield from self._put([raw], "", joins=False)
            return
        joins = bool(self._open) and said.layout == "docker-json" and said.stream == self._open
        prefix = lead or ("" if joins else _prefix(said))
        shown = [_behind(prefix, line).encode("utf-8", "surrogatepass") for line in said.text.rstrip("\n").split("\n")]
        yield from self._put(shown, said.stream if said.unfinished else "", joins=joins)

    def _put(self, lines: list[bytes], unfinished: str, *, joins: bool) -> Iterator[bytes]:
        if self._open and not joins:
            yield self._end_line()
        if len(lines) > 1:
            self.lines.hold(self._rewritten, self._source)
            self._ahead = None  # what comes next stands at a line of its own again
        yield b"\n".join(lines)
        self._source += 1
        self._rewritten += len(lines) - 1
        self._open = unfinished
        if not unfinished:
            yield self._end_line()

    def _end_line(self) -> bytes:
        self._rewritten += 1
        if self._rewritten - self._source != self._ahead:
            self._ahead = self._rewritten - self._source
            self.lines.go_on(self._rewritten, self._source)
        return b"\n"


def _begins(line: bytes) -> int:
    """Where in a line its record begins, or -1."""
    return line.find(b"{", 0, _LONGEST_LEAD) if line.rstrip().endswith(b"}") else -1


def _said(line: bytes) -> tuple[str, Said | None]:
    """What stands before a record, and what the record says."""
    start = _begins(line)
    if start < 0:
        return "", None
    try:
        lead = line[:start].decode("utf-8", "replace").lstrip() if start else ""
        return lead, said_by(json.loads(line[start:].decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return "", None


def _prefix(said: Said) -> str:
    fields = said.fields
    return _BEGIN + "".join(f"{n}={fields[n].translate(_CLEAN)}{_BETWEEN}" for n in _NAMES if n in fields) + _END


def _behind(prefix: str, line: str) -> str:
    """The prefix goes before every redraw that carriage returns make of a line."""
    if "\r" not in line:
        return prefix + line
    return "\r".join(prefix + part for part in line.split("\r") if part.strip()) or prefix
