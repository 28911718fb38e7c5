"""The HTML page: complete, safe, without anything from outside, and readable without seeing the drawing."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from firstfault.report import Report
from firstfault.timeline import Lane, TimelineEvent
from firstfault.views.html import render
from firstfault.views.lanes import axis_words, picture_of

from . import logs
from .conftest import Diagnose

VOID = {"meta", "br", "line", "circle", "rect", "path"}


class Page(HTMLParser):
    """Collects what a browser would, and fails on tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def said(self, tag: str) -> list[str]:
        return [text for owner, text in self.texts if owner == tag]


@pytest.fixture
def ecc(diagnose: Diagnose) -> Report:
    return diagnose(logs.ECC)


@pytest.mark.parametrize("log", [logs.ECC, logs.TIMEOUTS_ONLY, logs.UNKNOWN, logs.CAUGHT, logs.HEALTHY, ""])
def test_every_kind_of_report_is_a_well_formed_page_with_the_verdict_as_its_heading(diagnose: Diagnose, log: str) -> None:
    page = Page(render(diagnose(log)))
    assert page.tags[0] == ("html", {"lang": "en"})
    assert page.said("title")[:1] == page.said("h1")


def test_the_sections_come_in_the_order_in_which_they_are_needed(ecc: Report) -> None:
    headings = Page(render(ecc)).said("h2")
    wanted = ["Timeline", "Why first", "Cause", "Fix", "Verify", "Collateral", "References"]
    assert [h for h in headings if h in wanted] == wanted


def test_an_open_question_begins_with_what_to_fetch(diagnose: Diagnose) -> None:
    headings = Page(render(diagnose(logs.TIMEOUTS_ONLY))).said("h2")
    assert headings.index("Fetch first") < headings.index("Known") < headings.index("Fix, if so")


def test_nothing_is_loaded_from_outside_and_nothing_runs(ecc: Report) -> None:
    page = Page(render(ecc))
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe", "object", "use", "image"}
    for tag, attributes in page.tags:
        assert not any(name.startswith("on") or name in ("src", "style", "xlink:href") for name in attributes), tag
    assert not re.search(r"url\((?!#)|@import", render(ecc))
    policy = next(a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_words_of_a_log_stay_words(diagnose: Diagnose) -> None:
    hostile = logs.UNKNOWN.replace("no shard", "</pre><script>alert(1)</script>\u202e<b onclick='x'>no shard")
    page = Page(render(diagnose(hostile)))
    assert not {tag for tag, _ in page.tags} & {"script"}
    assert any("<script>alert(1)</script><b onclick='x'>no shard" in text for text in page.said("pre"))


def test_a_link_that_is_no_https_address_is_left_out(ecc: Report) -> None:
    link = replace(ecc.incidents[0].references[0], url="javascript:alert(1)")
    bad = replace(ecc, incidents=[replace(ecc.incidents[0], references=[link])])
    assert "javascript:" not in render(bad)


def test_the_list_holds_every_event_of_the_drawing(ecc: Report) -> None:
    page = Page(render(ecc))
    marks = [text for text in page.said("title") if "\n" in text]
    items = re.findall(r"<li class=\"([\w-]+)\"><b>", render(ecc))
    assert ecc.timeline is not None
    assert len(items) == len(marks) == sum(len(row.marks) for row in picture_of(ecc.timeline).rows)
    assert items.count("first") == 1


def test_the_drawing_is_named_and_described_for_screen_readers(ecc: Report) -> None:
    page = Page(render(ecc))
    ids = [a["id"] for _, a in page.tags if a.get("id")]
    drawing = next(a for t, a in page.tags if t == "svg" and a.get("role") == "img")
    assert {drawing["aria-labelledby"], drawing["aria-describedby"]} <= set(ids)
    assert len(ids) == len(set(ids))


def test_one_process_has_no_drawing(diagnose: Diagnose) -> None:
    assert "<svg" not in render(diagnose(logs.UNKNOWN))


def test_lanes_that_tell_the_same_are_one_row(ecc: Report) -> None:
    timeline = ecc.timeline
    assert timeline is not None
    labels = [row.label for row in picture_of(timeline).rows]
    assert "ranks 1, 3" in labels
    assert "rank 2" in labels


def event(kind: str, seconds: float | None) -> TimelineEvent:
    return TimelineEvent(
        time=None, seconds=seconds, source="a", line=1, text="", kind=kind, signature=None, title="", uncertain=seconds is None,  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.mark.parametrize(
    "seconds", [(0.0, 600.0, 600.2), (None, None, None), (0.0, 0.0, 0.0)], ids=["long wait", "no times", "all at once"]
)
def test_places_keep_the_order_and_stay_on_the_page(ecc: Report, seconds: tuple[float | None, ...]) -> None:
    events = [event(kind, at) for kind, at in zip(("first", "effect", "exit"), seconds, strict=True)]
    assert ecc.timeline is not None
    picture = picture_of(replace(ecc.timeline, lanes=[Lane(rank=0, label="rank 0", host=None, events=events)]))
    places = [mark.start for mark in picture.rows[0].marks]
    assert places == sorted(places)
    assert all(0 <= place <= 1 for place in places)


def test_a_trace_is_shown_when_the_report_has_one(ecc: Report) -> None:
    assert "Trace" not in Page(render(ecc)).said("h2")
    assert "Trace" in Page(render(replace(ecc, trace=[]))).said("h2")


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        ("2026-12-01T02:24:50.1", "12-01T02:24:53", "2026-12-01 02:24:50 to 02:24:53."),
        ("2026-12-01T23:59:58", "2026-12-02T00:00:01", "2026-12-01 23:59:58 to 2026-12-02 00:00:01."),
        ("12-01T14:53:04.1", "12-01T14:53:04.9", "12-01 14:53:04."),
        ("812.1", "813.5", "812.1 s after boot to 813.5 s after boot."),
    ],
)
def test_when_it_was_is_told_once(diagnose: Diagnose, start: str, end: str, told: str) -> None:
    timeline = diagnose(logs.ECC).timeline
    assert timeline is not None
    assert told in axis_words(replace(timeline, start=start, end=end), picture_of(timeline))
