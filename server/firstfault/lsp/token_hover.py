"""Hover on a token that only experts can read: what the tables say about it, on healthy lines too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lsprotocol import types

from firstfault.catalog.compiled import Catalog
from firstfault.catalog.spelling import PREFIXES, written
from firstfault.catalog.table_match import TableRow, resolve, row_of
from firstfault.lsp.client import EXPLAIN, PLAIN, Client
from firstfault.lsp.convert import span_range
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.frames import LONGEST_LINE
from firstfault.lsp.lines import index_of
from firstfault.lsp.settings import Settings
from firstfault.scan.verify import compiled
from firstfault.views.markdown import prose

TIME_LIMIT = 0.05
_WORD = re.compile(r"[A-Za-z_][\w]{2,}")
_SPELLINGS: tuple[tuple[str, str], ...] = (
    ("sxid", r"\bSXid[ :]*(?:\([^)]*\)[: ]*)?(?P<code>\d{5})\b"),
    ("xid", r"(?<![A-Za-z])Xid[ :=]*(?:\([^)]*\)[: ]*)?(?P<code>\d{1,3})\b"),
    ("ib-completion-status", r"\bstatus[=:] ?(?:IBV_WC_\w+\()?(?P<code>\d{1,2})\b"),
    (
        "exit-codes",
        r"(?i)\b(?:exit ?codes?|exit[ _]status|return[ _-]?code|returned non-zero exit status|exited with(?: code)?|rc)\b"
        r"[ :=(]*(?P<code>-?\d{1,3})\b",
    ),
    ("signals", r"(?i)\bsignal[ :=(]*(?P<code>\d{1,2})\b"),
    ("cuda-errors", r"(?i)\bCUDA (?:error|failure)(?: code)?[:=]? ?\(?(?P<code>\d{1,4})\b"),
    ("nccl-results", r"(?i)\bNCCL (?:error|result)(?: code)?[:=]? ?(?P<code>\d)\b"),
    ("errno", r"(?i)\berrno[ :=]*(?P<code>\d{1,3})\b"),
)
"""Spellings of a code that name their table by context. They mean nothing for the diagnosis, so that `recognise.yaml` lacks them."""


class Token(NamedTuple):
    """A stretch of a line that names a row of a table."""

    start: int
    end: int
    row: TableRow


def token_hover(diagnosed: Diagnosed, position: types.Position, settings: Settings, *, client: Client = PLAIN) -> types.Hover | None:
    """What the token under the cursor means."""
    text = diagnosed.lines.line(position.line)
    token = token_at(diagnosed.catalog, text, index_of(text, position.character, diagnosed.encoding))
    if token is None:
        return None
    value = row_summary(diagnosed.catalog, token.row, client)
    place = span_range(diagnosed.lines, position.line, token.start, token.end, diagnosed.encoding)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, value), place)


def token_at(catalog: Catalog, text: str, column: int) -> Token | None:
    """The shortest token around a column."""
    offset = max(0, column - LONGEST_LINE // 2)
    part = text[offset : offset + LONGEST_LINE]
    holding = [t for t in _tokens(catalog, part) if t.start <= column - offset <= t.end]
    best = min(holding, key=lambda t: t.end - t.start, default=None) or _word(catalog, part, column - offset)
    return best and best._replace(start=best.start + offset, end=best.end + offset)


def _tokens(catalog: Catalog, text: str) -> Iterator[Token]:
    lowered = text.lower()
    for table, pattern in _SPELLINGS:
        yield from _found(catalog, table, pattern, text)
    for known in catalog.table_patterns:
        if known.near.lower() in lowered:
            yield from _found(catalog, known.table, known.line, text)


def _found(catalog: Catalog, table: str, pattern: str, text: str) -> Iterator[Token]:
    if table not in catalog.table_names:
        return
    try:
        for match in compiled(pattern).finditer(text, timeout=TIME_LIMIT):
            row = resolve(catalog.table(table), table, {k: v for k, v in match.groupdict().items() if v})
            if row is not None:
                yield Token(match.start(), match.end(), row)
    except TimeoutError:
        return


def _word(catalog: Catalog, text: str, column: int) -> Token | None:
    """A word that is the name of a row: `ncclRemoteError`, `NCCL_IB_TIMEOUT`, `FAULT_PDE`, `NODE_FAIL`."""
    for match in _WORD.finditer(text):
        if match.start() <= column <= match.end():
            row = _named(catalog, match[0])
            return Token(match.start(), match.end(), row) if row else None
    return None


def _named(catalog: Catalog, word: str) -> TableRow | None:
    # Words of prose that are also names of rows: only their own spelling counts, and plain words not at all.
    if (word.islower() and "_" not in word) or (word.isalpha() and word.istitle()):
        return None
    for table in PREFIXES:
        if table not in catalog.table_names or table == "repair-actions":
            continue
        for row in catalog.table(table):
            if word in (row["code"], row["name"]) or word in row["aliases"].split(";"):
                return row_of(table, row)
    return None


def row_summary(catalog: Catalog, row: TableRow, client: Client) -> str:
    """A row in a few lines, with the page that explains more."""
    asked = written(row.table, row.code)
    title = row.name if row.table in ("env-variables", "log-terms") or row.name == row.code else f"{asked}: {row.name}"
    parts = [f"**{prose(title)}**" + ("" if row.severity == "info" else f" ({row.severity})"), prose(row.meaning)]
    if row.action:
        parts.append(f"**Do:** {prose(row.action)}")
    entry = catalog.codes.get(asked.lower()) or catalog.codes.get(written(row.table, row.name).lower())
    more = client.link("whole entry", EXPLAIN, entry or asked)
    foot = " · ".join(x for x in (prose(row.applies_to.replace(";", ", ")), f"`{entry}`" if entry else "", more or "") if x)
    if foot:
        parts.append(foot)
    return "\n\n".join(parts)
