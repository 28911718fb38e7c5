"""Symbols: the outline of a log as a tree of incident, rank and block, and the catalogue by name."""

from __future__ import annotations

from lsprotocol import types

from firstfault.catalog.compiled import Catalog
from firstfault.catalog.search import ranked
from firstfault.correlate.faults import Fault
from firstfault.lsp.convert import core_range
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.protocol import SCHEME
from firstfault.lsp.settings import Settings
from firstfault.report import Incident
from firstfault.views import phrases
from firstfault.wording import shortened

MOST_CHILDREN = 200
MOST_ENTRIES = 50
_LONGEST_NAME = 100


def symbols(diagnosed: Diagnosed, settings: Settings) -> list[types.DocumentSymbol]:
    """The incidents of a document; those that begin elsewhere are there for their collateral in this document."""
    out: list[types.DocumentSymbol] = []
    for incident, decided in diagnosed.incidents:
        if incident.signature in settings.disabled:
            continue
        suspect = decided.suspect
        same = [fault for fault in decided.also if fault.best.source == diagnosed.source]
        faults = [item.fault for item in decided.explained if item.fault.best.source == diagnosed.source]
        children = [*_ranks(diagnosed, same, "the same fault"), *_ranks(diagnosed, faults, "collateral")]
        own = None
        if suspect.source == diagnosed.source and suspect.line is not None:
            own = core_range(diagnosed.lines, suspect.line, suspect.end_line or suspect.line, diagnosed.encoding, suspect.text or "")
            children.insert(0, _first(diagnosed, incident, suspect.fault, own))
        selection = own or (children[0].selection_range if children else None)
        if selection is not None:
            out.append(_symbol(phrases.headline(incident), incident.status, types.SymbolKind.Event, selection, children))
    return out


def _first(diagnosed: Diagnosed, incident: Incident, fault: Fault | None, own: types.Range) -> types.DocumentSymbol:
    block = [_block(diagnosed, fault)] if fault is not None else []
    name = phrases.who(incident.initiator) or "process unknown"
    return _symbol(name, "first fault", types.SymbolKind.Class, own, block)


def _ranks(diagnosed: Diagnosed, faults: list[Fault], detail: str) -> list[types.DocumentSymbol]:
    groups: dict[str, list[Fault]] = {}
    for fault in faults[:MOST_CHILDREN]:
        name = f"rank {fault.rank}" if fault.rank is not None else fault.host or "launcher"
        groups.setdefault(name, []).append(fault)
    out: list[types.DocumentSymbol] = []
    for name, group in groups.items():
        blocks = [_block(diagnosed, fault) for fault in group]
        out.append(_symbol(name, detail, types.SymbolKind.Class, blocks[0].selection_range, blocks))
    return out


def _block(diagnosed: Diagnosed, fault: Fault) -> types.DocumentSymbol:
    best = fault.best
    known = diagnosed.catalog.by_id.get(best.signature)
    raised = best.raised.type.rsplit(".", 1)[-1] if best.raised else best.signature
    name = known.title if known else raised
    selection = core_range(diagnosed.lines, best.line, best.line, diagnosed.encoding, best.text)
    block = best.block
    whole = core_range(diagnosed.lines, block.start_line, block.end_line, diagnosed.encoding) if block else selection
    return types.DocumentSymbol(
        name=shortened(name, _LONGEST_NAME),
        detail=best.signature,
        kind=types.SymbolKind.Event,
        range=_around([whole, selection]),
        selection_range=selection,
    )


def _symbol(
    name: str, detail: str, kind: types.SymbolKind, selection: types.Range, children: list[types.DocumentSymbol]
) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=shortened(name, _LONGEST_NAME),
        detail=detail,
        kind=kind,
        range=_around([selection, *(c.range for c in children)]),
        selection_range=selection,
        children=children,
    )


def _around(ranges: list[types.Range]) -> types.Range:
    start = min((r.start for r in ranges), key=lambda p: (p.line, p.character))
    end = max((r.end for r in ranges), key=lambda p: (p.line, p.character))
    return types.Range(start, end)


def entry_uri(signature: str) -> str:
    """URI of the virtual document that holds the page of an entry."""
    return f"{SCHEME}:/entry/{signature}.md"


def entry_of(uri: str) -> str | None:
    """Id of the entry that a virtual document holds."""
    prefix = f"{SCHEME}:/entry/"
    return uri[len(prefix) : -3] if uri.startswith(prefix) and uri.endswith(".md") else None


def entry_document(catalog: Catalog, uri: str) -> str | None:
    """Text of the virtual document of an entry, or None where the URI names none."""
    from firstfault.views.catalog_markdown import entry_markdown

    signature = entry_of(uri)
    entry = catalog.entry(signature) if signature else None
    return entry_markdown(entry, level=1) if entry else None


def workspace_symbols(catalog: Catalog, query: str) -> list[types.WorkspaceSymbol]:
    """Entries of the catalogue that the query finds; without a query the first of them all."""
    found = [(m.id, m.title) for m in (ranked(catalog.subjects, query) if query.strip() else catalog.subjects)]
    return [
        types.WorkspaceSymbol(
            location=types.LocationUriOnly(entry_uri(signature)),
            name=title,
            kind=types.SymbolKind.Event,
            container_name=signature,
        )
        for signature, title in found[:MOST_ENTRIES]
    ]
