"""The timeline as an inline drawing, and the same events as a list for those who do not see it."""

from __future__ import annotations

from html import escape

from firstfault.timeline import Timeline, TimelineEvent
from firstfault.views.lanes import FIRST, FIRST_KNOWN, Mark, Picture, Row, Span, axis_words, picture_of, told
from firstfault.views.phrases import clock
from firstfault.views.places import Places
from firstfault.wording import plural

MOST_ROWS = 40
_LEFT, _WIDE, _RIGHT = 170, 760, 30
_TOP, _ROW, _BOTTOM = 26, 34, 26
_LEGEND = (
    ("first", "first fault"),
    ("cause", "another fault"),
    ("effect", "collateral"),
    ("wrapper", "launcher"),
    ("exit", "exit"),
    ("last-progress", "last ordinary line"),
    ("wait", "waiting or silent"),
    ("doubt", "time not certain"),
)


def section(timeline: Timeline, places: Places) -> str:
    """The drawing with its legend and its list."""
    picture = picture_of(timeline)
    shown = picture._replace(rows=picture.rows[:MOST_ROWS])
    more = len(picture.rows) - len(shown.rows)
    rest = f'<p class="dim">and {plural(more, "more lane")}, in the list below</p>' if more > 0 else ""
    return (
        f'<section aria-labelledby="t"><h2 id="t">Timeline</h2>'
        f'<div class="scroll" tabindex="0">{_drawing(shown, places)}</div>{rest}{_legend(picture)}'
        f'<p class="dim">{escape(axis_words(timeline, picture))}</p>{_list(picture, places)}</section>'
    )


# --- the drawing ------------------------------------------------------------------------------------------------------


def _drawing(picture: Picture, places: Places) -> str:
    height = _TOP + _ROW * len(picture.rows) + _BOTTOM
    width = _LEFT + _WIDE + _RIGHT
    parts = [
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-labelledby="t" aria-describedby="events">',
        _PATTERN,
        _doubt(picture, height),
        *_columns(picture, height),
    ]
    for number, row in enumerate(picture.rows):
        parts += _drawn(row, _TOP + _ROW * number + _ROW // 2, places)
    return "".join([*parts, "</svg>"])


_PATTERN = (
    '<defs><pattern id="doubt" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line x1="0" y1="0" x2="0" y2="6" class="hatch"/></pattern></defs>'
)


def _x(place: float) -> float:
    return round(_LEFT + place * _WIDE, 1)


def _doubt(picture: Picture, height: int) -> str:
    if picture.doubt is None:
        return ""
    start, end = (_x(p) for p in picture.doubt)
    return f'<rect class="doubt" x="{start}" y="{_TOP}" width="{max(6.0, end - start):.1f}" height="{height - _TOP - _BOTTOM}"/>'


def _columns(picture: Picture, height: int) -> list[str]:
    parts: list[str] = []
    used = -1e9
    for place, words in reversed(picture.ticks):
        x = _x(place)
        if words in (FIRST, FIRST_KNOWN):
            parts.append(f'<line class="zero" x1="{x}" y1="{_TOP - 4}" x2="{x}" y2="{height - _BOTTOM}"/>')
            parts.append(f'<text class="tick zero" x="{x}" y="{_TOP - 10}" text-anchor="middle">{words}</text>')
            continue
        if abs(x - used) < 54:
            continue
        used = x
        parts.append(f'<line class="column" x1="{x}" y1="{_TOP}" x2="{x}" y2="{height - _BOTTOM}"/>')
        parts.append(f'<text class="tick" x="{x}" y="{height - 8}" text-anchor="middle">{escape(words)}</text>')
    return parts


def _drawn(row: Row, y: int, places: Places) -> list[str]:
    label = f'<text class="lane" x="{_LEFT - 22}" y="{y - 1 if row.host else y + 4}" text-anchor="end">{escape(_cut(row.label))}</text>'
    host = f'<text class="host" x="{_LEFT - 22}" y="{y + 12}" text-anchor="end">{escape(_cut(row.host))}</text>' if row.host else ""
    parts = [label, host, *(_line(span, y) for span in row.spans)]
    for mark in sorted(row.marks, key=lambda m: m.event.kind in ("first", "cause")):
        parts.append(_mark(mark, row, y, places))
    return parts


def _line(span: Span, y: int) -> str:
    """Solid while the process works, dotted while it waits or is silent."""
    return f'<line class="{"life" if span.works else "wait"}" x1="{_x(span.start)}" y1="{y}" x2="{_x(span.end)}" y2="{y}"/>'


def _mark(mark: Mark, row: Row, y: int, places: Places) -> str:
    event, x = mark.event, _x(mark.start)
    spread = f'<line class="spread" x1="{x}" y1="{y}" x2="{_x(mark.end)}" y2="{y}"/>' if mark.end > mark.start else ""
    doubt = f'<rect class="doubt" x="{x - 11}" y="{y - 11}" width="22" height="22"/>' if event.uncertain else ""
    return f"<g>{doubt}{spread}{_shape(event.kind, x, y)}<title>{escape(_told(event, row, places))}</title></g>"


def _shape(kind: str, x: float, y: float) -> str:
    if kind == "first":
        return f'<circle class="first" cx="{x}" cy="{y}" r="8"/>'
    if kind in ("cause", "effect"):
        return f'<circle class="{kind}" cx="{x}" cy="{y}" r="6"/>'
    if kind == "wrapper":
        return f'<rect class="wrapper" x="{x - 5}" y="{y - 5}" width="10" height="10"/>'
    if kind == "exit":
        return f'<path class="exit" d="M{x - 4} {y - 4}L{x + 4} {y + 4}M{x - 4} {y + 4}L{x + 4} {y - 4}"/>'
    return f'<line class="last" x1="{x}" y1="{y - 6}" x2="{x}" y2="{y + 6}"/>'


def _cut(text: str) -> str:
    return text if len(text) <= 22 else text[:21] + "…"


def _legend(picture: Picture) -> str:
    used = {m.event.kind for row in picture.rows for m in row.marks}
    used_names = {*used, "wait"} | (
        {"doubt"} if picture.doubt or any(m.event.uncertain for r in picture.rows for m in r.marks) else set[str]()
    )
    items: list[str] = []
    for kind, words in _LEGEND:
        if kind not in used_names and not (kind == "last-progress" and "silent" in used):
            continue
        items.append(f'<li><svg width="22" height="16" aria-hidden="true">{_sample(kind)}</svg>{words}</li>')
    return f'<ul class="legend" aria-hidden="true">{"".join(items)}</ul>'


def _sample(kind: str) -> str:
    if kind == "wait":
        return '<line class="wait" x1="1" y1="8" x2="21" y2="8"/>'
    if kind == "doubt":
        return '<rect class="doubt" x="2" y="1" width="18" height="14"/>'
    return _shape(kind, 11, 8)


# --- the list ---------------------------------------------------------------------------------------------------------


def _list(picture: Picture, places: Places) -> str:
    marks = sorted(((mark, row) for row in picture.rows for mark in row.marks), key=lambda pair: pair[0].start)
    items = "".join(
        f'<li class="{escape(mark.event.kind)}"><b>{escape(row.label)}</b>{f" on {escape(row.host)}" if row.host else ""}: '
        f'{escape(told(mark.event))} <span class="dim">{escape(_where(mark.event, places))}</span></li>'
        for mark, row in marks
    )
    return f'<details id="events"><summary>The same as a list: {plural(len(marks), "event")} in order</summary><ol>{items}</ol></details>'


def _where(event: TimelineEvent, places: Places) -> str:
    return ", ".join(x for x in (clock(event.time), places.at(event.source, event.line)) if x)


def _told(event: TimelineEvent, row: Row, places: Places) -> str:
    return f"{row.label}: {told(event)}\n{_where(event, places)}\n{event.text}"
