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


def read_text(parts: Iterator[bytes]) -> ReadText:
    """The text of a stream of UTF-8."""
    head = next(parts, b"")
    if b'{"' not in head[:4096]:
        return ReadText(head, parts)
    from firstfault.read.json_lines import JsonText, layout_of

    layout = layout_of(head)
    if layout is None:
        return ReadText(head, parts)
    text = JsonText()
    rewritten = text.rewrite(chain([head], parts))
    return ReadText(next(rewritten, b""), rewritten, layout, text.lines)
