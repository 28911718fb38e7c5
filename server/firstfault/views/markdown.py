"""The report for an issue, a pull request or a chat."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firstfault.report import Collateral, Evidence, Incident, Missing, Report
from firstfault.views import phrases
from firstfault.views.places import Places
from firstfault.wording import plural

MOST_COLLATERAL = 20
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$])")
# Decorators and frame numbers of a traceback would call people by name and link to unrelated issues.
_MENTION = re.compile(r"(?<![\w@])@(?=\w)")
_ISSUE = re.compile(r"(?<![\w#&])#(?=\d)")
_BARE_URL = re.compile(r"(https?://[^\s)>\]]+)")
# A text that begins like a list or a heading.
_BLOCK_START = re.compile(r"^(\d+(?=[.)]\s)|(?=[#+-]+\s))")


def render(report: Report) -> str:
    """The report in GitHub-flavoured Markdown."""
    places = Places(report)
    if not report.incidents:
        head = phrases.healthy_line(report) if report.verdict == "no-failure" else report.summary
        parts = [f"**{'✔' if report.verdict == 'no-failure' else '?'} {prose(head)}**"]
    else:
        parts = [part for number, i in enumerate(report.incidents) for part in _incident(i, places, independent=number > 0)]
    if report.notes:
        parts.append("**Notes**\n\n" + "\n".join(f"- {prose(places.compact(note))}" for note in report.notes))
    parts.append(f"<sub>{_foot(report)}</sub>")
    return "\n\n".join(parts) + "\n"


def _incident(incident: Incident, places: Places, *, independent: bool) -> list[str]:
    unsettled = incident.status == "undetermined"
    mark = "?" if unsettled else "✖"
    parts = [f"### {mark} {prose(phrases.headline(incident, independent=independent))}", _status(incident)]
    first = incident.initiator
    if first.text:
        where = places.at(first.source, first.line) if first.source and first.line else None
        label = ", ".join(x for x in (phrases.clock(first.time), where) if x)
        parts.append((f"{prose(label)}:\n\n" if label else "") + fenced(first.text))
    missing = [_missing(incident.missing, "Fetch first" if unsettled else "Missing")] if incident.missing else []
    parts += missing if unsettled else []
    parts.append(f"**{'Known' if unsettled else 'Why first'}:** {prose(places.compact(incident.why_first))}")
    parts.append(f"**{'Suspected' if unsettled else 'Cause'}:** {prose(places.compact(phrases.cause(incident)))}")
    if incident.fix:
        steps = [(f.text + (f" [{f.caution}]" if f.caution else ""), f.command) for f in incident.fix]
        parts.append(_steps("Fix, if so" if unsettled else "Fix", steps))
    if incident.verify:
        checks = [(phrases.check_line(v), v.command) for v in incident.verify]
        parts.append(_steps("Verify", checks))
    parts += [] if unsettled else missing
    if incident.collateral or len(incident.evidence) > 1:
        parts.append(_details(incident, places))
    if incident.references:
        parts.append("**References**\n\n" + "\n".join(f"- [{prose(r.title)}]({_link(r.url)})" for r in incident.references))
    return parts


def _status(incident: Incident) -> str:
    page = f"catalogue page {_code(incident.signature)}" if incident.named_by != "structure" else None
    turn = phrases.turn(incident)
    return " · ".join(x for x in (phrases.certainty(incident), f"whose turn: {turn}" if turn else None, page) if x)


def _steps(title: str, steps: Sequence[tuple[str, str | None]]) -> str:
    lines = [f"**{title}**", ""]
    for number, (text, command) in enumerate(steps, start=1):
        lines.append(f"{number}. {prose(text)}")
        if command:
            lines += ["   " + row for row in fenced(command, "sh").split("\n")]
    return "\n".join(lines)


def _missing(facts: Sequence[Missing], title: str) -> str:
    return _steps(title, [(phrases.missing_line(fact), fact.command) for fact in facts])


def _details(incident: Incident, places: Places) -> str:
    rows = phrases.ordered(incident.collateral)
    count = sum(c.count for c in rows)
    summary = f"Collateral: {plural(count, 'other failure')} that this one explains" if rows else "Evidence"
    lines = ["<details>", f"<summary>{summary}</summary>", ""]
    if rows:
        lines += ["| count | what | ranks | where | why |", "|---:|---|---|---|---|"]
        lines += [_row(c, places) for c in rows[:MOST_COLLATERAL]]
        lines += [f"| | and {plural(len(rows) - MOST_COLLATERAL, 'more kind')} | | | |"] if len(rows) > MOST_COLLATERAL else []
        lines.append("")
    if len(incident.evidence) > 1:
        lines += ["Evidence:", "", fenced("\n".join(_evidence(e, places) for e in incident.evidence)), ""]
    return "\n".join([*lines, "</details>"])


def _row(row: Collateral, places: Places) -> str:
    ranks = (phrases.ranks_of(row) or "").removeprefix("ranks ").removeprefix("rank ")
    cells = (str(row.count), row.title, ranks, places.at(row.source, row.line), row.explained_by)
    return "| " + " | ".join(prose(cell) for cell in cells) + " |"


def _evidence(item: Evidence, places: Places) -> str:
    return f"{places.at(item.source, item.line)}: {item.text}"


def _foot(report: Report) -> str:
    tool = report.tool
    return f"{phrases.amount(report.sources)} · {tool.name} {tool.version}, catalogue {tool.catalog}"


def fenced(text: str, language: str = "") -> str:
    """A code block that its own text cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def prose(text: str) -> str:
    """Text that Markdown shows as it is."""
    flat = " ".join(text.split())
    pieces = _BARE_URL.split(flat)
    return "".join(piece if number % 2 else _escaped(piece) for number, piece in enumerate(pieces))


def _escaped(text: str) -> str:
    quiet = _ISSUE.sub("#\u200b", _MENTION.sub("@\u200b", _SPECIAL.sub(r"\\\1", text)))
    return _BLOCK_START.sub(r"\1\\", quiet)


def _link(url: str) -> str:
    return url.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
