"""The picture of a report's timeline as it is sent: where each event stands from left to right; the client only draws it."""

from __future__ import annotations

from typing import Any

from firstfault.timeline import Timeline
from firstfault.views.lanes import FIRST, FIRST_KNOWN, Mark, Row, axis_words, picture_of, told
from firstfault.views.phrases import clock


def picture_json(timeline: Timeline | None) -> dict[str, Any] | None:
    """The picture of a timeline; None where the report has none."""
    if timeline is None:
        return None
    picture = picture_of(timeline)
    return {
        "rows": [_row(row) for row in picture.rows],
        "ticks": [{"at": at, "words": words, "first": words in (FIRST, FIRST_KNOWN)} for at, words in picture.ticks],
        "timed": picture.timed,
        "doubt": list(picture.doubt) if picture.doubt else None,
        "axis": axis_words(timeline, picture),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "label": row.label,
        "host": row.host,
        "marks": [_mark(mark) for mark in row.marks],
        "spans": [{"start": span.start, "end": span.end, "works": span.works} for span in row.spans],
    }


def _mark(mark: Mark) -> dict[str, Any]:
    event = mark.event
    return {
        "start": mark.start,
        "end": mark.end,
        "kind": event.kind,
        "words": told(event),
        "clock": clock(event.time),
        "uncertain": event.uncertain,
        "source": event.source,
        "line": event.line,
        "text": event.text,
    }
