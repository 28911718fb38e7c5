"""What stands in the editor's list of problems: the first fault as an error, what followed from it grouped and linked to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from lsprotocol import types

from firstfault.correlate.decision import Decided, Explained
from firstfault.lsp import convert
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.settings import Settings
from firstfault.lsp.symbols import entry_uri
from firstfault.report import Incident
from firstfault.views.phrases import who
from firstfault.wording import plural, ranks_named, shortened

_LONGEST = 120
_RELATED = 70
"""Characters of a related place, so that it takes one line of a hover."""
_ALIKE_APART = 3
"""Lines between collateral of one kind that is still shown as one."""
_MOST_ALIKE = 8
"""Groups of one kind; what comes later is counted in the last of them."""


def diagnostics(diagnosed: Diagnosed, settings: Settings, *, pages: bool = False) -> list[types.Diagnostic]:
    """The diagnostics of one document, most important first. With `pages` the client can show virtual documents, and codes lead
    to the entry's page; else to its first source."""
    out: list[types.Diagnostic] = []
    for incident, decided in diagnosed.incidents:
        first = _initiating(diagnosed, incident, decided, settings, pages)
        if first is not None:
            out.append(first)
        out.extend(_collateral(diagnosed, incident, decided, settings, pages))
    return _capped(out, settings.limits.diagnostics_per_file)


def _initiating(diagnosed: Diagnosed, incident: Incident, decided: Decided, settings: Settings, pages: bool) -> types.Diagnostic | None:
    place = decided.suspect
    if place.source != diagnosed.source or place.line is None:
        return None
    undetermined = incident.status == "undetermined"
    level = convert.severity(settings.severities.undetermined if undetermined else settings.severities.initiating)
    if level is None:
        return None
    end = min(place.end_line or place.line, place.line + 40)
    return types.Diagnostic(
        range=convert.core_range(diagnosed.lines, place.line, end, diagnosed.encoding, place.text or ""),
        message=message_of(incident),
        severity=level,
        code=incident.signature,
        code_description=_description(diagnosed, incident.signature, pages),
        source=convert.SOURCE,
        related_information=_related(diagnosed, incident),
        data={"signature": incident.signature, "role": "initiating", "status": incident.status},
    )


def message_of(incident: Incident) -> str:
    """The verdict on an incident in one line."""
    subject = who(incident.initiator)
    start = "First fault not settled" if incident.status == "undetermined" else "First fault"
    effects = [c for c in incident.collateral if c.role != "wrapper"]
    count = sum(c.count for c in effects)
    ranks = sorted({r for c in effects for r in c.ranks if r != incident.initiator.rank})
    rest = ""
    if ranks:
        waited = any(c.signature.startswith("collective/") for c in effects)
        rest = f" — {plural(len(ranks), 'rank')} then {'timed out waiting for it' if waited else 'failed because of it'}"
    elif count:
        rest = f" — {plural(count, 'failure')} followed from it"
    room = _LONGEST - len(rest) - len(start) - 2
    return f"{start}: {shortened(f'{subject}, {incident.title}' if subject else incident.title, room)}{rest}"


def _related(diagnosed: Diagnosed, incident: Incident) -> list[types.DiagnosticRelatedInformation]:
    """The evidence and the consequence that matter most. Editors show them above the hover, which has the cause and the fix; the
    other consequences have diagnostics of their own."""
    return [*islice(_evidence(diagnosed, incident), 1), *islice(_consequences(diagnosed, incident), 1)]


def _evidence(diagnosed: Diagnosed, incident: Incident) -> Iterator[types.DiagnosticRelatedInformation]:
    for item in incident.evidence:
        if item.role == "supporting":
            location = _location(diagnosed, item.source, item.line, item.text)
            if location is not None:
                yield types.DiagnosticRelatedInformation(location, f"evidence: {shortened(item.text, _RELATED)}")


def _consequences(diagnosed: Diagnosed, incident: Incident) -> Iterator[types.DiagnosticRelatedInformation]:
    for item in incident.collateral:
        location = _location(diagnosed, item.source, item.line)
        if location is not None and item.role != "wrapper":
            times = f"{item.count} × " if item.count > 1 else ""
            ranks = f"{ranks_named(item.ranks)}: " if item.ranks else ""
            yield types.DiagnosticRelatedInformation(location, shortened(f"then {ranks}{times}{item.title}", _RELATED))


def _collateral(diagnosed: Diagnosed, incident: Incident, decided: Decided, settings: Settings, pages: bool) -> Iterator[types.Diagnostic]:
    here = [e for e in decided.explained if e.fault.best.source == diagnosed.source]
    for group in _groups(here):
        wrapper = group[0].fault.role == "wrapper"
        level = convert.severity(settings.severities.wrapper if wrapper else settings.severities.collateral)
        if level is not None:
            yield _group(diagnosed, incident, group, level, pages)


def _groups(explained: Iterable[Explained]) -> Iterator[list[Explained]]:
    """Collateral of one kind that stands together."""
    kinds: dict[tuple[str, str], list[Explained]] = {}
    for item in explained:
        kinds.setdefault((item.fault.signature, item.fault.role), []).append(item)
    for items in kinds.values():
        groups: list[list[Explained]] = []
        for item in sorted(items, key=lambda e: e.fault.best.line):
            near = bool(groups) and item.fault.best.line - groups[-1][-1].fault.end_line <= _ALIKE_APART
            if near or len(groups) == _MOST_ALIKE:
                groups[-1].append(item)
            else:
                groups.append([item])
        yield from groups


def _group(
    diagnosed: Diagnosed, incident: Incident, group: Sequence[Explained], level: types.DiagnosticSeverity, pages: bool
) -> types.Diagnostic:
    first = group[0].fault
    start = first.start_line
    said = "" if first.best.block else first.best.text
    first_fault = _first_fault(diagnosed, incident)
    return types.Diagnostic(
        range=convert.core_range(diagnosed.lines, start, start, diagnosed.encoding, said),
        message=_explanation(diagnosed, incident, group),
        severity=level,
        code=first.signature,
        code_description=_description(diagnosed, first.signature, pages),
        source=convert.SOURCE,
        related_information=[first_fault] if first_fault else None,
        data={"signature": first.signature, "role": first.role, "explained_by": incident.signature},
    )


def _explanation(diagnosed: Diagnosed, incident: Incident, group: Sequence[Explained]) -> str:
    fault = group[0].fault
    known = diagnosed.catalog.by_id.get(fault.signature)
    raised = fault.best.raised
    title = known.title if known else f"Unhandled {raised.type.rsplit('.', 1)[-1]}" if raised else fault.signature
    count = sum(e.fault.count for e in group)
    ranks = sorted({e.fault.rank for e in group if e.fault.rank is not None})
    said = f" ({ranks_named(ranks)})" if ranks else ""
    times = f"{count} × " if count > 1 else ""
    if fault.role == "wrapper":
        return f"{times}Launcher summary: {title}{said} — explained by {_place(diagnosed, incident)}"
    return f"{times}{title}{said} — explained by {_place(diagnosed, incident)}: {group[0].because}"


def _place(diagnosed: Diagnosed, incident: Incident) -> str:
    start = incident.initiator
    if start.line is None or start.source is None:
        return "the first fault"
    if start.source == diagnosed.source:
        return f"line {diagnosed.lines.place_of(start.line, start.text or '') + 1}"
    return f"{start.source}:{start.line}"


def _first_fault(diagnosed: Diagnosed, incident: Incident) -> types.DiagnosticRelatedInformation | None:
    start = incident.initiator
    if start.line is None or start.source is None:
        return None
    location = _location(diagnosed, start.source, start.line, start.text or "")
    if location is None:
        return None
    return types.DiagnosticRelatedInformation(location, f"explained by {_place(diagnosed, incident)}: {incident.title}")


def _location(diagnosed: Diagnosed, source: str, line: int, said: str = "") -> types.Location | None:
    uri = diagnosed.uri_of(source)
    if uri is None:
        return None
    if source == diagnosed.source:
        return types.Location(uri, convert.core_range(diagnosed.lines, line, line, diagnosed.encoding, said))
    return types.Location(uri, convert.start_of_line(line - 1))


def _description(diagnosed: Diagnosed, signature: str, pages: bool) -> types.CodeDescription | None:
    page = diagnosed.catalog.page(signature)
    if page is None:
        return None
    return types.CodeDescription(entry_uri(signature) if pages else page["references"][0]["url"])


def _capped(found: list[types.Diagnostic], most: int) -> list[types.Diagnostic]:
    """The first ones, and one hint that says how many were left out."""
    if len(found) <= most or most < 1:
        return found[:most]
    left = len(found) - most
    note = types.Diagnostic(
        range=found[0].range,
        message=f"{left} further lines that followed from it are not listed (firstfault.limits.diagnosticsPerFile)",
        severity=types.DiagnosticSeverity.Hint,
        source=convert.SOURCE,
    )
    return [*found[:most], note]
