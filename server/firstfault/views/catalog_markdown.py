"""Catalogue pages and table rows as Markdown."""

from __future__ import annotations

from firstfault.catalog.entry import Entry
from firstfault.catalog.table_match import TableRow
from firstfault.views.markdown import fenced, prose
from firstfault.views.sections import Item, Section, entry_sections, row_sections, row_title


def entry_markdown(entry: Entry, *, level: int = 2) -> str:
    """A catalogue page; `level` is the level of its title."""
    parts = [f"{'#' * level} {prose(entry.title)}"]
    parts += [_section(section, level + 1) for section in entry_sections(entry)]
    return "\n\n".join(parts) + "\n"


def row_markdown(row: TableRow, *, level: int = 2) -> str:
    """A table row; `level` is the level of its title."""
    parts = [f"{'#' * level} {prose(row_title(row))} ({row.severity})"]
    parts += [_section(section, level + 1) for section in row_sections(row)]
    return "\n\n".join(parts) + "\n"


def _section(section: Section, level: int) -> str:
    heading = f"{'#' * level} {section.heading}"
    if section.style == "prose":
        return "\n\n".join([heading, *(_told(item) for item in section.items)])
    rows: list[str] = []
    for number, item in enumerate(section.items, start=1):
        mark = f"{number}. " if section.style == "steps" else "- "
        rows += _listed(item, mark)
    return heading + "\n\n" + "\n".join(rows)


def _told(item: Item) -> str:
    return prose(item.text) + (f" *({prose(item.aside)})*" if item.aside else "")


def _listed(item: Item, mark: str) -> list[str]:
    margin = " " * len(mark)
    words = _told(item) if item.text else f"*({prose(item.aside)})*" if item.aside else ""
    block = [margin + line for line in fenced(item.code, item.language).splitlines()] if item.code else []
    read = f"→ {prose(item.read)}" if item.read else ""
    if words:
        return [mark + words, *block, *([f"{margin}{read}"] if read else [])]
    if read and not block:
        return [mark + read]
    block[0] = mark + block[0][len(mark) :]
    return [*block, *([f"{margin}{read}"] if read else [])]
