"""Hover on a diagnosed line: what happened, why it is first, and what to do, with this log's values."""

from __future__ import annotations

from lsprotocol import types

from firstfault.lsp.client import COPY, EXPLAIN, FIX, GO_TO, PLAIN, RUN, Client
from firstfault.lsp.convert import core_range
from firstfault.lsp.diagnosed import Diagnosed
from firstfault.lsp.same_fault import same_fault_at
from firstfault.lsp.settings import Settings
from firstfault.lsp.token_hover import token_hover
from firstfault.report import FixStep, Incident
from firstfault.views import phrases
from firstfault.views.markdown import fenced, prose
from firstfault.views.phrases import check_command
from firstfault.views.places import Places
from firstfault.wording import shortened

MOST_REFERENCES = 4


def hover(diagnosed: Diagnosed, position: types.Position, settings: Settings, *, client: Client = PLAIN) -> types.Hover | None:
    """The token under the cursor, then the diagnosis of its line; None where there is neither."""
    token = token_hover(diagnosed, position, settings, client=client)
    told = _line_text(diagnosed, position, settings, client)
    if told is None:
        return token
    if token is not None and isinstance(token.contents, types.MarkupContent):
        text = f"{token.contents.value}\n\n---\n\n{told[0]}"
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), token.range)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, told[0]), told[1])


def _line_text(diagnosed: Diagnosed, position: types.Position, settings: Settings, client: Client) -> tuple[str, types.Range] | None:
    line = diagnosed.core_line(position.line)
    found = diagnosed.incident_at(line)
    if found is not None and found[0].signature not in settings.disabled:
        incident, decided = found
        suspect = decided.suspect
        first = suspect.line or line
        end = max(first, suspect.end_line or first)
        place = core_range(diagnosed.lines, first, end, diagnosed.encoding, suspect.text or "")
        level = settings.severities.undetermined if incident.status == "undetermined" else settings.severities.initiating
        titled = line != suspect.line or level == "off" or not client.shows_diagnostics_in_hovers
        return incident_text(diagnosed, incident, position, client, titled=titled), place
    same = same_fault_at(diagnosed, line, line)
    if same is not None:
        incident, _, fault = same
        place = core_range(diagnosed.lines, fault.best.line, fault.best.end_line, diagnosed.encoding, fault.best.text)
        return incident_text(diagnosed, incident, position, client), place
    explained = diagnosed.explained_at(line)
    if explained is not None:
        incident, item = explained
        best = item.fault.best
        place = core_range(diagnosed.lines, best.line, best.end_line, diagnosed.encoding, best.text)
        return _explained_text(diagnosed, incident, best.signature, item.because, client), place
    return None


def incident_text(diagnosed: Diagnosed, incident: Incident, position: types.Position, client: Client, *, titled: bool = True) -> str:
    """An incident: what one needs before any scrolling, then what one reads later. `titled`: nothing above it says the verdict."""
    places = Places(diagnosed.report)
    unsettled = incident.status == "undetermined"
    parts: list[str] = []
    if titled:
        head = f"**{'?' if unsettled else '✖'} {prose(phrases.headline(incident))}** ({incident.severity})"
        parts.append(f"{head} · {phrases.certainty(incident)}")
    parts.append(f"**{'Suspected' if unsettled else 'Cause'}:** {prose(places.compact(phrases.cause(incident)))}")
    if unsettled and incident.missing:
        parts.append(f"**Fetch first:** {prose(phrases.missing_line(incident.missing[0]))}")
    if incident.fix:
        parts.append(_fix(diagnosed, incident, position, client))
    parts.append(f"**{'Known' if unsettled else 'Why first'}:** {prose(places.compact(incident.why_first))}")
    parts.append(_page(incident, client) + ("" if titled else f" · {phrases.certainty(incident)}"))
    later = _later(diagnosed, incident)
    return "\n\n".join([*parts, *(["---", later] if later else [])])


def first_place(diagnosed: Diagnosed, incident: Incident) -> tuple[str, dict[str, int]] | None:
    """Document and position of the first fault."""
    first = incident.initiator
    uri = diagnosed.uri_of(first.source) if first.source else None
    if uri is None or first.line is None:
        return None
    number = diagnosed.lines.place_of(first.line, first.text or "") if uri == diagnosed.uri else first.line - 1
    return uri, {"line": number, "character": 0}


def _fix(diagnosed: Diagnosed, incident: Incident, position: types.Position, client: Client) -> str:
    step = incident.fix[0]
    place = {"line": position.line, "character": position.character}
    check = check_command(incident)
    buttons = (
        client.link("Apply", FIX, diagnosed.uri, place) if any(f.edit for f in incident.fix) else None,
        client.link("Copy", COPY, step.command or step.text),
        client.link("Run check", RUN, check) if check else None,
    )
    caution = f" [{prose(step.caution)}]" if step.caution else ""
    told = f"**Fix:** {prose(step.text)}{caution}"
    shown = " · ".join(b for b in buttons if b)
    return told + (f"  {shown}" if shown else "") + (f"\n\n{fenced(step.command, 'sh')}" if step.command else "")


def _page(incident: Incident, client: Client) -> str:
    if incident.named_by == "structure":
        return "No catalogue page knows this failure; the words above come from its exception alone."
    link = client.link("whole entry", EXPLAIN, incident.signature)
    return f"{link} `{incident.signature}`" if link else f"Whole entry: `firstfault explain {incident.signature}`"


def _later(diagnosed: Diagnosed, incident: Incident) -> str:
    parts: list[str] = []
    if incident.fix[1:]:
        parts.append("**Or**\n\n" + "\n".join(_step(number, step) for number, step in enumerate(incident.fix[1:], 2)))
    if incident.verify:
        parts.append(
            "**Verify and confirm**\n\n" + "\n".join(f"- {prose(phrases.check_line(v))}" + _code(v.command) for v in incident.verify)
        )
    page = diagnosed.catalog.page(incident.signature)
    if page is not None:
        parts.append("**Prevent**\n\n" + "\n".join(f"- {prose(text)}" for text in page["prevent"]))
    if incident.references:
        rows = [f"- [{prose(r.title)}]({r.url})" for r in incident.references[:MOST_REFERENCES]]
        parts.append("**References**\n\n" + "\n".join(rows))
    return "\n\n".join(parts)


def _step(number: int, step: FixStep) -> str:
    caution = f" [{prose(step.caution)}]" if step.caution else ""
    return f"{number}. {prose(step.text)}{caution}" + _code(step.command)


def _code(command: str | None) -> str:
    if not command:
        return ""
    flat = shortened(command, 200)
    return f" `{flat}`" if "`" not in flat else f" `` {flat} ``"


def _explained_text(diagnosed: Diagnosed, incident: Incident, signature: str, because: str, client: Client) -> str:
    places = Places(diagnosed.report)
    known = diagnosed.catalog.by_id.get(signature)
    first = incident.initiator
    where = places.at(first.source, first.line) if first.source and first.line else None
    title = known.title if known else signature
    wrapper = known is not None and known.role == "wrapper"
    head = f"**{prose(title)}** · {'launcher summary; names a victim' if wrapper else 'not the first fault'}"
    parts = [head, f"**Explained by:** {prose(phrases.headline(incident))}" + (f" ({prose(where)})" if where else "")]
    if because:
        parts.append(f"**Because:** {prose(places.compact(because))}")
    target = first_place(diagnosed, incident)
    jump = client.link("go to the first fault", GO_TO, target[0], target[1]) if target else None
    page = client.link("whole entry", EXPLAIN, signature) if known else None
    foot = " · ".join(x for x in (jump, page) if x)
    return "\n\n".join([*parts, *([foot] if foot else [])])
