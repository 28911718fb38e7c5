"""A source as the text that is scanned: most are that already, JSON records become what they say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from firstfault.read.line_map import LineMap


class ReadText(NamedTuple):
    """The text of a source from its first block on."""

    head: bytes
    rest: Iterator[bytes]
    layout: str | None = None
    """What wrote the records that the text was made from; None when it is the source itself."""
    lines: LineMap | None = None
    """Leads from lines of the text to those of the source, where they differ."""


def records_of(head: bytes) -> str | None:
    """What wrote the JSON records that a source which begins so is made of; None for one that is read as it stands."""
    if b'{"' not in head[:4096]:
        return None
    from firstfault.read.json_lines import layout_of

    return layout_of(head)


def read_text(parts: Iterator[bytes]) -> ReadText:
    """The text of a stream of UTF-8."""
    head = next(parts, b"")
    layout = records_of(head)
    if layout is None:
        return ReadText(head, parts)
    from firstfault.read.json_lines import JsonText

    text = JsonText()
    rewritten = text.rewrite(chain([head], parts))
    return ReadText(next(rewritten, b""), rewritten, layout, text.lines)
