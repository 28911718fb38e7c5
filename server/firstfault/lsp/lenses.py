"""Code lenses: the verdict at the top of a log; on the initiating line `rank 5 · cause of 7 other failures`, explain, fix and verify."""

from __future__ import annotations

from lsprotocol import types

from firstfault.lsp.client import EXPLAIN, FIX, GO_TO, PLAIN, RUN, Client
from firstfault.lsp.convert import line_range
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.hover import first_place
from firstfault.lsp.settings import Settings
from firstfault.report import Incident
from firstfault.views import phrases
from firstfault.views.phrases import check_command
from firstfault.wording import plural

_SEEN_FROM_THE_TOP = 15
"""Lines that any editor shows with the first one."""


def lenses(diagnosed: Diagnosed, settings: Settings, *, client: Client = PLAIN) -> list[types.CodeLens]:
    """Lenses of every incident that begins in this document, and the verdict where it is not seen from the top."""
    out = _verdict(diagnosed, settings, client)
    for incident, decided in diagnosed.incidents:
        suspect = decided.suspect
        if suspect.source != diagnosed.source or suspect.line is None or incident.signature in settings.disabled:
            continue
        number = diagnosed.lines.place_of(suspect.line, suspect.text or "")
        place = line_range(diagnosed.lines, number, diagnosed.encoding)
        out += [types.CodeLens(place, command) for command in _commands(diagnosed, incident, place.start, client)]
    return out


def _verdict(diagnosed: Diagnosed, settings: Settings, client: Client) -> list[types.CodeLens]:
    """Whoever opens a log stands on its first line; the verdict there leads to the first fault."""
    incident = next((incident for incident, _ in diagnosed.incidents), None)
    if incident is None or incident.signature in settings.disabled or not client.can(GO_TO):
        return []
    target = first_place(diagnosed, incident)
    if target is None:
        return []
    uri, position = target
    if uri == diagnosed.uri and position["line"] < _SEEN_FROM_THE_TOP:
        return []
    sign = "?" if incident.status == "undetermined" else "✖"
    where = f"line {position['line'] + 1}" if uri == diagnosed.uri else f"{incident.initiator.source}:{position['line'] + 1}"
    title = f"{sign} {phrases.headline(incident)} · {where}"
    command = types.Command(title=title, command=GO_TO, arguments=[uri, position])
    return [types.CodeLens(line_range(diagnosed.lines, 0, diagnosed.encoding), command)]


def summary(incident: Incident) -> str:
    """Who failed, and how many failures it accounts for."""
    others = sum(c.count for c in incident.collateral if c.role != "wrapper")
    what = (
        f"cause of {plural(others, 'other failure')}" if others else "first fault" if incident.status != "undetermined" else "not settled"
    )
    subject = phrases.who(incident.initiator)
    return f"{subject} · {what}" if subject else what


def _commands(diagnosed: Diagnosed, incident: Incident, start: types.Position, client: Client) -> list[types.Command]:
    place = {"line": start.line, "character": start.character}
    # A lens needs a command; an empty one is shown as plain text.
    out = [types.Command(title=summary(incident), command="")]
    if client.can(EXPLAIN) and incident.named_by != "structure":
        out.append(types.Command(title="explain", command=EXPLAIN, arguments=[incident.signature]))
    if client.can(FIX) and incident.fix:
        out.append(types.Command(title="fix", command=FIX, arguments=[diagnosed.uri, place]))
    check = check_command(incident)
    if client.can(RUN) and check:
        out.append(types.Command(title="verify", command=RUN, arguments=[check]))
    return out
