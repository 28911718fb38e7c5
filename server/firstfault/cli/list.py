"""`firstfault list`: what the catalogue and its tables know."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from firstfault.cli.terminal import output_page, write
from firstfault.errors import UsageError

if TYPE_CHECKING:
    from firstfault.catalog.compiled import Catalog, Signature
    from firstfault.catalog.table_match import TableRow
    from firstfault.views.page import Page

KINDS = ("cause", "effect", "wrapper", "notice")
SEVERITIES = ("critical", "error", "warning", "info")
_EXAMPLES = """\
examples:
  firstfault list                                    all entries, by category
  firstfault list --category gpu --severity critical
  firstfault list --search remap                     entries that speak of it
  firstfault list --table xid                        the rows of a table
  firstfault list --table sxid --kind cause --search crossbar
  firstfault list --table ?                          the names of the tables"""
_SHOW_TABLES = "?"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Add the command to the parser."""
    parser = commands.add_parser(
        "list",
        help="list catalogue entries, or the rows of a table",
        description="Lists what the catalogue knows, one line each. `firstfault explain` shows a line in full.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--category", metavar="NAME", help="entries of one category, such as gpu, nccl or storage")
    parser.add_argument("--kind", choices=KINDS, help="what can be the first fault (cause), or only follows, wraps or informs")
    parser.add_argument("--severity", choices=SEVERITIES, help="entries or rows of one severity")
    parser.add_argument("--table", metavar="NAME", help="rows of a table instead of entries; ? names the tables")
    parser.add_argument("--search", metavar="WORDS", help="only what holds all these words")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    parser.add_argument("--ascii", action="store_true", help="plain ASCII output")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Filter and write the list."""
    from firstfault.catalog.compiled import load

    catalog = load()
    if arguments.table == _SHOW_TABLES:
        document: object = catalog.table_names
        lines = [(name, f"{len(catalog.table(name))} rows") for name in catalog.table_names]
    elif arguments.table:
        rows = _rows(catalog, arguments)
        document = [row._asdict() for row in rows]
        lines = [(row.code, f"{_name(row)}{row.meaning} ({row.severity})") for row in rows]
    else:
        entries = _entries(catalog, arguments)
        document = [_fields(entry) for entry in entries]
        lines = [(entry.id, f"{entry.title} ({_role(entry)})") for entry in entries]
    if arguments.format == "json":
        write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    else:
        write(_aligned(lines, output_page(ascii_only=arguments.ascii)))
    return 0


def _entries(catalog: Catalog, arguments: argparse.Namespace) -> list[Signature]:
    categories = sorted({signature.id.split("/", 1)[0] for signature in catalog.signatures})
    if arguments.category and arguments.category not in categories:
        raise UsageError(f"there is no category {arguments.category!r}; there are {', '.join(categories)}")
    if arguments.severity == "info":
        raise UsageError("entries are critical, error or warning; info is for rows of a table: add --table")
    chosen: Sequence[Signature] = catalog.signatures
    if arguments.search:
        from firstfault.catalog.search import ranked

        chosen = [catalog.by_id[match.id] for match in ranked(catalog.subjects, arguments.search, whole=True)]
    return [
        signature
        for signature in chosen
        if arguments.category in (None, signature.id.split("/", 1)[0])
        and arguments.kind in (None, signature.role)
        and arguments.severity in (None, signature.severity)
    ]


def _rows(catalog: Catalog, arguments: argparse.Namespace) -> list[TableRow]:
    from firstfault.catalog.lookup import rows_of, rows_saying

    if arguments.table not in catalog.table_names:
        raise UsageError(f"there is no table {arguments.table!r}; there are {', '.join(catalog.table_names)}")
    if arguments.category:
        raise UsageError("--category is about entries and --table about rows: name one of them")
    rows = rows_of(catalog, arguments.table)
    chosen = rows_saying(rows, arguments.search) if arguments.search else rows
    return [row for row in chosen if arguments.kind in (None, row.kind) and arguments.severity in (None, row.severity)]


def _fields(signature: Signature) -> dict[str, str]:
    return {
        "id": signature.id,
        "title": signature.title,
        "kind": signature.role,
        "severity": signature.severity,
        "owner": signature.owner,
    }


def _name(row: TableRow) -> str:
    return "" if row.name == row.code else f"{row.name}: "


def _role(signature: Signature) -> str:
    return signature.severity if signature.role == "cause" else f"{signature.severity}, {signature.role}"


def _aligned(lines: Sequence[tuple[str, str]], page: Page) -> str:
    """Two columns; the second is wrapped under itself."""
    widest = max((len(name) for name, _ in lines), default=0)
    indent = min(widest, page.width // 2) + 2
    out: list[str] = []
    for name, text in lines:
        if len(name) + 2 > indent:
            out += [page.paint(page.clean(name), "command"), *page.paragraph([(text, "plain")], indent=indent)]
        else:
            out += page.paragraph([(text, "plain")], indent=indent, lead=[(name, "command")])
    return "".join(line + "\n" for line in out)
