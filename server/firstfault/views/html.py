"""The report as one page that needs nothing else: to mail, to archive, to print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from firstfault.report import Collateral, FixStep, Incident, Missing, Report, TraceStep, VerifyStep
from firstfault.views import phrases
from firstfault.views.html_style import STYLE
from firstfault.views.places import Places
from firstfault.views.swimlane import section as timeline_section
from firstfault.wording import plural

# Direction marks and control characters of a log would reorder or hide what is read.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def render(report: Report) -> str:
    """The report as a self-contained HTML page."""
    places = Places(report)
    picture = timeline_section(report.timeline, places) if report.timeline else ""
    if report.incidents:
        title = phrases.headline(report.incidents[0])
        body = "".join(
            _incident(incident, places, picture if number == 0 else "", independent=number > 0)
            for number, incident in enumerate(report.incidents)
        )
    else:
        title = phrases.healthy_line(report) if report.verdict == "no-failure" else report.summary
        kind, mark = ("pass", "✔") if report.verdict == "no-failure" else ("unsure", "?")
        body = f'<article class="{kind}">{_head(mark, title)}</article>'
    body += _notes(report, places) + _trace(report.trace, places)
    return _safe(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n{_foot(report)}\n</main>\n</body>\n</html>\n"
    )


def _safe(text: str) -> str:
    return _UNSAFE.sub("", text)


def _head(mark: str, title: str) -> str:
    return f'<h1><span class="mark" aria-hidden="true">{mark}</span>{escape(title)}</h1>'


def _incident(incident: Incident, places: Places, picture: str, *, independent: bool) -> str:
    unsettled = incident.status == "undetermined"
    fetch = _missing("Fetch first", incident.missing) if unsettled else ""
    left = [
        _said("Known" if unsettled else "Why first", places.compact(incident.why_first)),
        _said("Suspected" if unsettled else "Cause", places.compact(phrases.cause(incident))),
    ]
    right = [
        _fixes("Fix, if so" if unsettled else "Fix", incident.fix),
        _checks(incident.verify),
        "" if unsettled else _missing("Missing", incident.missing),
    ]
    kind, mark = ("unsure", "?") if unsettled else ("fail", "✖")
    return (
        f'<article class="{kind}">{_head(mark, phrases.headline(incident, independent=independent))}'
        f'<p class="dim">{escape(_status(incident))}</p>{_place(incident)}{fetch}{picture}'
        f'<div class="pair"><div>{"".join(left)}</div><div>{"".join(right)}</div></div>'
        f"{_collateral(incident.collateral, places)}{_evidence(incident, places)}{_references(incident)}</article>"
    )


def _status(incident: Incident) -> str:
    turn = phrases.turn(incident)
    page = incident.signature if incident.named_by != "structure" else None
    return " · ".join(x for x in (phrases.certainty(incident), f"whose turn: {turn}" if turn else None, page) if x)


def _place(incident: Incident) -> str:
    first = incident.initiator
    where = f"{first.source}:{first.line}" if first.source and first.line else None
    label = " · ".join(x for x in (phrases.clock(first.time), where) if x)
    quote = f'<pre class="quote">{escape(first.text)}</pre>' if first.text else ""
    return f'<p class="dim where">{escape(label)}</p>{quote}' if label or quote else ""


def _said(heading: str, text: str) -> str:
    return f"<h2>{heading}</h2><p>{escape(text)}</p>" if text else ""


def _steps(heading: str, items: Iterable[str]) -> str:
    rows = list(items)
    if not rows:
        return ""
    tag = "ol" if len(rows) > 1 else "ul"
    return f"<h2>{heading}</h2><{tag}>{''.join(f'<li>{row}</li>' for row in rows)}</{tag}>"


def _command(command: str | None) -> str:
    return f"<pre>{escape(command.strip())}</pre>" if command else ""


def _fixes(heading: str, fixes: Sequence[FixStep]) -> str:
    def row(fix: FixStep) -> str:
        caution = f' <span class="caution">[{escape(fix.caution)}]</span>' if fix.caution else ""
        return f"{escape(fix.text)}{caution}{_command(fix.command)}"

    return _steps(heading, map(row, fixes))


def _checks(checks: Sequence[VerifyStep]) -> str:
    return _steps("Verify", (f"{escape(phrases.check_line(c))}{_command(c.command)}" for c in checks))


def _missing(heading: str, facts: Sequence[Missing]) -> str:
    return _steps(heading, (f"{escape(phrases.missing_line(m))}{_command(m.command)}" for m in facts))


def _collateral(rows: Sequence[Collateral], places: Places) -> str:
    if not rows:
        return ""
    body = "".join(
        f'<tr><td class="n">{r.count}</td><td>{escape(r.title)}</td><td class="ranks">{escape(phrases.ranks_of(r) or "")}</td>'
        f'<td class="place">{escape(places.at(r.source, r.line))}</td><td>{escape(r.explained_by)}</td></tr>'
        for r in phrases.ordered(rows)
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Count", "What", "Ranks", "Where", "Explained by"))
    return f'<h2>Collateral</h2><div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _evidence(incident: Incident, places: Places) -> str:
    rows = "".join(
        f'<li>{escape(places.at(e.source, e.line))} <span class="dim">{escape(e.role)}</span><pre>{escape(e.text)}</pre></li>'
        for e in incident.evidence
    )
    return f"<h2>Evidence</h2><ul>{rows}</ul>" if len(incident.evidence) > 1 else ""


def _references(incident: Incident) -> str:
    links = "".join(
        f'<li><a href="{escape(r.url)}" rel="noreferrer">{escape(r.title)}</a></li>'
        for r in incident.references
        if r.url.startswith("https://")
    )
    return f"<h2>References</h2><ul>{links}</ul>" if links else ""


def _notes(report: Report, places: Places) -> str:
    items = "".join(f"<li>{escape(places.compact(note))}</li>" for note in report.notes)
    return f"<section><h2>Notes</h2><ul>{items}</ul></section>" if items else ""


def _trace(steps: Sequence[TraceStep] | None, places: Places) -> str:
    if steps is None:
        return ""
    body = "".join(
        f'<tr><td class="place">{escape(places.at(s.source, s.line))}</td><td>{"" if s.rank is None else s.rank}</td>'
        f"<td>{escape(s.title)}<br><code>{escape(s.signature)}</code></td><td>{s.role}</td><td>{s.taken_as}</td>"
        f"<td>{escape(places.compact(s.because))}</td></tr>"
        for s in steps
    )
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Where", "Rank", "Finding", "Can be", "Taken as", "Because"))
    table = f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    summary = f"<summary>{plural(len(steps), 'step')}, in reading order</summary>"
    return f"<section><h2>Trace</h2><details open>{summary}{table}</details></section>"


def _foot(report: Report) -> str:
    tool, run = report.tool, report.run
    parts = [phrases.amount(report.sources)]
    parts += [plural(len(run.hosts), "node")] if len(run.hosts) > 1 else []
    parts += [plural(run.world_size, "rank")] if run.world_size else []
    parts += [plural(run.attempts, "attempt")] if run.attempts > 1 else []
    parts.append(f"{tool.name} {tool.version}, catalogue {tool.catalog}")
    names = "".join(f'<li>{escape(s.name)} <span class="dim">{plural(s.lines, "line")}</span></li>' for s in report.sources)
    read = f"<details><summary>What was read</summary><ul>{names}</ul></details>"
    return f'<footer><p class="dim">{escape(" · ".join(parts))}</p>{read}</footer>'
