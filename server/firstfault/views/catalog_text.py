"""Catalogue pages and table rows as text for a terminal."""

from __future__ import annotations

from firstfault.catalog.entry import Entry
from firstfault.catalog.table_match import TableRow
from firstfault.views.page import Page, Span, Style
from firstfault.views.sections import Item, Section, entry_sections, row_sections, row_title

_STYLES: dict[str, Style] = {"critical": "fail", "error": "fail", "warning": "unsure", "info": "label"}


def entry_text(entry: Entry, page: Page) -> str:
    """A catalogue page, wrapped at the width of the page."""
    lines = page.paragraph([(entry.title, _STYLES[entry.severity])], indent=0)
    for section in entry_sections(entry):
        lines += ["", page.paint(section.heading, "label"), *_section(section, page)]
    return "\n".join(lines) + "\n"


def row_text(row: TableRow, page: Page) -> str:
    """A table row, wrapped at the width of the page."""
    lines = page.paragraph([(row_title(row), _STYLES.get(row.severity, "label")), (f"({row.severity})", "dim")], indent=0)
    for section in row_sections(row):
        first = True
        for item in section.items:
            lead: list[Span] = [(f"  {section.heading}" if first else "", "label")]
            lines += page.paragraph([*_spans(item), *([(item.code, "quote")] if item.code else [])], indent=_ROW_INDENT, lead=lead)
            first = False
    return "\n".join(lines) + "\n"


_ROW_INDENT = 15


def _section(section: Section, page: Page) -> list[str]:
    lines: list[str] = []
    for number, item in enumerate(section.items, start=1):
        mark = {"prose": "", "steps": f"  {number} "}.get(section.style, "  - ")
        indent = 4 if mark else 2
        lead: list[Span] = [(mark, "label")] if mark else []
        spans = _spans(item)
        if spans:
            lines += page.paragraph(spans, indent=indent, lead=lead)
            lead = []
        if item.code:
            code = page.verbatim(item.code, indent=indent + 2, style="command")
            if lead and code:
                code[0] = mark + code[0][len(mark) :]
            lines += code
        if item.read:
            lines += page.paragraph([(f"→ {item.read}", "plain")], indent=indent + 2 if item.code else indent)
    return lines


def _spans(item: Item) -> list[Span]:
    spans: list[Span] = [(item.text, "plain")] if item.text else []
    return [*spans, (f"[{item.aside}]", "caution")] if item.aside else spans
