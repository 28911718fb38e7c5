"""Code lenses on the initiating line: `rank 5 · cause of 7 other failures`, then explain, fix and verify."""

from __future__ import annotations

from lsprotocol import types

from firstfault.lsp.client import EXPLAIN, FIX, PLAIN, RUN, Client
from firstfault.lsp.convert import line_range
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.settings import Settings
from firstfault.model import Incident
from firstfault.views import phrases
from firstfault.views.phrases import check_command
from firstfault.wording import plural


def lenses(diagnosed: Diagnosed, settings: Settings, *, client: Client = PLAIN) -> list[types.CodeLens]:
    """Lenses of every incident that begins in this document."""
    out: list[types.CodeLens] = []
    for incident, decided in diagnosed.incidents:
        suspect = decided.suspect
        if suspect.source != diagnosed.source or suspect.line is None or incident.signature in settings.disabled:
            continue
        number = diagnosed.lines.place_of(suspect.line, suspect.text or "")
        place = line_range(diagnosed.lines, number, diagnosed.encoding)
        out += [types.CodeLens(place, command) for command in _commands(diagnosed, incident, place.start, client)]
    return out


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
