"""`firstfault explain`: what a code, a state, an entry or a few words mean."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from firstfault.cli.terminal import output_page, write
from firstfault.errors import UsageError

if TYPE_CHECKING:
    from firstfault.catalog.entry import Entry
    from firstfault.catalog.lookup import Answer
    from firstfault.catalog.table_match import TableRow

FORMATS = ("text", "markdown", "json")
_EXAMPLES = """\
examples:
  firstfault explain xid 79                      a code of a table, with the page that explains it
  firstfault explain CUDA_ERROR_ILLEGAL_ADDRESS  a name
  firstfault explain exit 137                    an exit code; -9 and SIGKILL work as well
  firstfault explain gpu/ecc-uncorrectable       a page, by the id that a report gives
  firstfault explain row remap                   a few words
  firstfault explain 'CUDA error: misaligned address'    a line of a log"""
ROWS_ABOVE_PAGE = 3
"""Table rows that are shown above the page that explains them; the others are listed below it."""


class NothingKnownError(UsageError):
    """A question that the catalogue has no answer to."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Add the command to the parser."""
    parser = commands.add_parser(
        "explain",
        help="say what a code, a state, a catalogue entry or a few words mean",
        description="Looks something up in the catalogue. The best page is shown; others are listed below it.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("query", nargs="+", metavar="WHAT", help="a code, name, id, line or a few words")
    parser.add_argument("--format", choices=FORMATS, default="text", help="text (default), markdown, json")
    parser.add_argument("--ascii", action="store_true", help="plain ASCII output")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Look it up and write the answer."""
    from firstfault.catalog.compiled import load
    from firstfault.catalog.lookup import lookup

    catalog = load()
    answer = lookup(catalog, " ".join(arguments.query))
    if not answer.found:
        raise NothingKnownError(nothing_known(answer))
    entry = catalog.entry(answer.entries[0].id) if answer.entries else None
    write(_rendered(answer, entry, arguments))
    return 0


def nothing_known(answer: Answer) -> str:
    """The one line for a question without an answer."""
    near = f"; near it: {', '.join(answer.suggestions)}" if answer.suggestions else "; `firstfault list` shows what there is"
    return f"the catalogue knows nothing about {answer.query!r}{near}"


def _rendered(answer: Answer, entry: Entry | None, arguments: argparse.Namespace) -> str:
    if arguments.format == "json":
        return _json(answer, entry)
    if arguments.format == "markdown":
        return _markdown(answer, entry)
    return _text(answer, entry, ascii_only=arguments.ascii)


def _text(answer: Answer, entry: Entry | None, *, ascii_only: bool) -> str:
    from firstfault.views.catalog_text import entry_text, row_text

    page = output_page(ascii_only=ascii_only)
    parts = [row_text(row, page) for row in _shown_rows(answer, entry)]
    if entry is not None:
        parts.append(entry_text(entry, page))
    others = _others(answer, entry)
    if others:
        lines = [page.paint("See also", "label")]
        for name, title in others:
            lines += page.paragraph([(f"firstfault explain {name}", "command"), (title, "dim")], indent=2)
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _markdown(answer: Answer, entry: Entry | None) -> str:
    from firstfault.views.catalog_markdown import entry_markdown, row_markdown

    parts = [row_markdown(row) for row in _shown_rows(answer, entry)]
    if entry is not None:
        parts.append(entry_markdown(entry))
    others = _others(answer, entry)
    if others:
        parts.append("## See also\n\n" + "\n".join(f"- `firstfault explain {name}` {title}".rstrip() for name, title in others) + "\n")
    return "\n".join(parts)


def _json(answer: Answer, entry: Entry | None) -> str:
    from firstfault.views.sections import plain

    document = {
        "query": answer.query,
        "rows": [row._asdict() for row in answer.rows],
        "entry": plain(entry) if entry is not None else None,
        "others": [{"id": match.id, "title": match.title} for match in answer.entries[1:]],
        "suggestions": list(answer.suggestions),
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _shown_rows(answer: Answer, entry: Entry | None) -> tuple[TableRow, ...]:
    """All rows where they are the answer; a few of them above a page."""
    return answer.rows[:ROWS_ABOVE_PAGE] if entry is not None else answer.rows


def _others(answer: Answer, entry: Entry | None) -> list[tuple[str, str]]:
    """Questions that lead to the other hits, with their titles."""
    from firstfault.catalog.spelling import written

    rows = answer.rows[len(_shown_rows(answer, entry)) :]
    return [
        *((match.id, match.title) for match in answer.entries[1:]),
        *((written(row.table, row.code), row.name) for row in rows),
        *((name, "") for name in answer.suggestions),
    ]
