"""The report as SARIF 2.1.0, for code-scanning pages and editors."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from firstfault.model import SourceInfo
from firstfault.report import Incident, Report
from firstfault.views import phrases

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+://")
_LEVELS = {"critical": "error", "error": "error", "warning": "warning"}


def render(report: Report) -> str:
    """The document that `--format sarif` writes."""
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _run(report: Report) -> dict[str, Any]:
    ids = list(dict.fromkeys(i.signature for i in report.incidents))
    rules = [_rule(next(i for i in report.incidents if i.signature == name)) for name in ids]
    driver = {"name": report.tool.name, "version": report.tool.version, "semanticVersion": report.tool.version, "rules": rules}
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if report.notes:
        invocation["toolExecutionNotifications"] = [{"level": "note", "message": _message(note)} for note in report.notes]
    return {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "invocations": [invocation],
        "artifacts": [_artifact(s) for s in report.sources],
        "results": [_result(i, ids.index(i.signature), n) for n, i in enumerate(report.incidents)],
        "properties": {"verdict": report.verdict, "summary": report.summary, "catalog": report.tool.catalog},
    }


def _rule(incident: Incident) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": incident.signature,
        "name": _pascal(incident.signature),
        "shortDescription": _message(incident.title),
        "fullDescription": _message(phrases.cause(incident)),
        "help": {"text": _braces(_help(incident, bold=False)), "markdown": _braces(_help(incident, bold=True))},
        "defaultConfiguration": {"level": _LEVELS[incident.severity]},
        "properties": {"category": incident.category, "tags": [incident.category, incident.severity]},
    }
    if incident.references:
        rule["helpUri"] = incident.references[0].url
    return rule


def _help(incident: Incident, *, bold: bool) -> str:
    """Ways out and checks, as plain text or as Markdown."""
    from firstfault.views.markdown import fenced, prose

    text = prose if bold else str
    lines: list[str] = []
    for title, steps in (
        ("Fix", [(f.text, f.command) for f in incident.fix]),
        ("Verify", [(phrases.check_line(v), v.command) for v in incident.verify]),
    ):
        lines += [f"**{title}**" if bold else title, ""] if steps else []
        for number, (words, command) in enumerate(steps, start=1):
            lines.append(f"{number}. {text(words)}")
            lines += ["   " + row for row in (fenced(command) if bold else command).split("\n")] if command else []
        lines.append("")
    return "\n".join(lines).strip() or text(incident.next_action)


def _result(incident: Incident, rule: int, number: int) -> dict[str, Any]:
    first = incident.initiator
    words = [phrases.headline(incident, independent=number > 0), incident.why_first, phrases.cause(incident)]
    if incident.status == "undetermined" and incident.missing:
        words.append(f"Fetch first: {phrases.missing_line(incident.missing[0])}")
    result: dict[str, Any] = {
        "ruleId": incident.signature,
        "ruleIndex": rule,
        "level": "warning" if incident.status == "undetermined" else _LEVELS[incident.severity],
        "rank": round(incident.confidence * 100, 1),
        "message": _message(" ".join(w if w.endswith((".", "…")) else f"{w}." for w in words if w)),
        "partialFingerprints": {"firstfault/v1": _fingerprint(incident)},
        "properties": {
            "status": incident.status,
            "confidence": incident.confidence,
            "rank": first.rank,
            "host": first.host,
            "time": first.time,
            "whyFirst": incident.why_first,
            "nextAction": incident.next_action,
        },
    }
    if first.source is not None and first.line is not None:
        ends = [e.end_line for e in incident.evidence if e.role == "initiating" and (e.source, e.line) == (first.source, first.line)]
        result["locations"] = [_location(first.source, first.line, max([first.line, *ends]), first.text)]
    result["relatedLocations"] = _related(incident)
    return result


def _related(incident: Incident) -> list[dict[str, Any]]:
    places = [(e.source, e.line, e.end_line, e.text, f"Evidence: {e.text}") for e in incident.evidence if e.role != "initiating"]
    for row in phrases.ordered(incident.collateral):
        ranks = phrases.ranks_of(row)
        words = f"Collateral: {row.count} × {row.title}" + (f", {ranks}" if ranks else "")
        places.append((row.source, row.line, row.line, "", f"{words} ({row.explained_by})"))
    return [
        {"id": number, **_location(source, line, end, text or None), "message": _message(words)}
        for number, (source, line, end, text, words) in enumerate(places, start=1)
    ]


def _location(source: str, line: int, end: int, text: str | None) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": line, "endLine": end}
    if text:
        region["snippet"] = {"text": text}
    return {"physicalLocation": {"artifactLocation": {"uri": uri(source)}, "region": region}}


def _artifact(source: SourceInfo) -> dict[str, Any]:
    return {"location": {"uri": uri(source.name)}, "length": source.bytes, "encoding": source.encoding}


def uri(name: str) -> str:
    """A source's name as a URI reference: relative paths stay relative, absolute ones become `file:` URIs."""
    if _SCHEME.match(name):
        return quote(name, safe=":/?&=%#@+,;~")
    path = name.replace("\\", "/") if _DRIVE.match(name) or name.startswith("\\\\") else name
    if _DRIVE.match(path):
        return "file:///" + path[:2] + quote(path[2:])
    return f"file://{quote(path)}" if path.startswith("/") else quote(path)


def _message(text: str) -> dict[str, str]:
    return {"text": _braces(text)}


def _braces(text: str) -> str:
    """SARIF reads `{0}` in a message as the place of an argument."""
    return text.replace("{", "{{").replace("}", "}}")


def _fingerprint(incident: Incident) -> str:
    """Equal for the same fault of the same process in another run: without times, lines and numbers."""
    first = incident.initiator
    parts: Sequence[str] = (incident.signature, str(first.rank), first.host or "", re.sub(r"\d+|0x[0-9a-f]+", "#", first.text or ""))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _pascal(signature: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", signature))
