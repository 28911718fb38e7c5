"""The report as GitHub Actions workflow commands, which annotate the run and, where paths fit, the files."""

from __future__ import annotations

from firstfault.report import Collateral, Incident, Report
from firstfault.views import phrases
from firstfault.views.places import Places

MOST_ANNOTATIONS = 10
"""GitHub shows no more than ten of a kind for each step."""


def render(report: Report) -> str:
    """One command a line: errors for first faults, warnings for collateral and notes."""
    places = Places(report)
    if report.verdict == "no-failure":
        lines = [_command("notice", "firstfault", phrases.healthy_line(report))]
    elif not report.incidents:
        lines = [_command("error", "firstfault", report.summary)]
    else:
        lines = [_error(i, places, independent=n > 0) for n, i in enumerate(report.incidents)]
    lines += [_warning(row, places) for i in report.incidents for row in phrases.ordered(i.collateral)]
    lines += [_command("warning", "firstfault", places.compact(note)) for note in report.notes]
    return "\n".join(lines[:MOST_ANNOTATIONS]) + "\n"


def _error(incident: Incident, places: Places, *, independent: bool) -> str:
    unsettled = incident.status == "undetermined"
    first = incident.initiator
    parts = [first.text] if first.text else []
    parts.append(f"{'Known' if unsettled else 'Why first'}: {places.compact(incident.why_first)}")
    parts.append(f"{'Suspected' if unsettled else 'Cause'}: {places.compact(phrases.cause(incident))}")
    if unsettled and incident.missing:
        parts.append(f"Fetch first: {phrases.missing_line(incident.missing[0])}")
    elif incident.fix:
        parts.append(f"Fix: {incident.fix[0].text}")
    parts.append(phrases.certainty(incident))
    title = phrases.headline(incident, independent=independent)
    return _command("error", title, "\n".join(parts), first.source, first.line)


def _warning(row: Collateral, places: Places) -> str:
    ranks = phrases.ranks_of(row)
    what = f"{row.count} × {row.title}" + (f", {ranks}" if ranks else "")
    return _command("warning", "Collateral", f"{what}: {places.compact(row.explained_by)}", row.source, row.line)


def _command(kind: str, title: str, message: str, file: str | None = None, line: int | None = None) -> str:
    properties = [f"title={_property(title)}"]
    if file is not None and line is not None and not file.startswith("<"):
        properties = [f"file={_property(file)}", f"line={line}", *properties]
    return f"::{kind} {','.join(properties)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
