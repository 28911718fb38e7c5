"""The report as a person reads it in a terminal: the verdict first, then the place, the reason and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from firstfault.report import Collateral, FixStep, Incident, Missing, Report, VerifyStep
from firstfault.views import phrases
from firstfault.views.page import NO_BREAK, Page, Span, Style, columns
from firstfault.views.places import Places
from firstfault.wording import plural, shortened

MOST_INCIDENTS = 4
MOST_FIXES = 3
MOST_CHECKS = 2
MOST_MISSING = 3
MOST_COLLATERAL = 8
MOST_NOTES = 3
MOST_EVIDENCE = 2
_QUOTED = 300
_LABELS = 14
_NARROW = 60


def render(report: Report, page: Page) -> str:
    """The report as text, at most as wide as the page; only commands and single long words may be wider."""
    writer = _Writer(page, Places(report))
    lines = writer.failure(report) if report.incidents else writer.healthy(report)
    if report.trace is not None:
        from firstfault.views.trace_text import trace_lines

        lines += trace_lines(report.trace, page, writer.places)
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class _Writer:
    page: Page
    places: Places

    # --- whole reports ------------------------------------------------------------------------------------------------

    def healthy(self, report: Report) -> list[str]:
        notes = report.notes[:MOST_NOTES]
        if report.verdict == "undetermined":
            return [*self._verdict("?", "unsure", report.summary), *self._notes(notes)]
        more = f"; the first {len(notes)}" if len(report.notes) > len(notes) else ""
        worth = f" {plural(len(report.notes), 'thing')} worth a look{more}:" if notes else ""
        lines = self._verdict("✔", "pass", phrases.healthy_line(report) + worth)
        for note in notes:
            lines += self.page.paragraph([(self.places.compact(note), "plain")], indent=4, lead=[("  - ", "plain")])
        return lines

    def failure(self, report: Report) -> list[str]:
        lines: list[str] = []
        for number, incident in enumerate(report.incidents[:MOST_INCIDENTS]):
            lines += [*self._incident(incident, independent=number > 0), ""]
        more = len(report.incidents) - MOST_INCIDENTS
        if more > 0:
            lines += [*self.page.paragraph([(f"{plural(more, 'more fault')}: see --format json", "plain")], indent=2), ""]
        notes = self._notes(report.notes[:MOST_NOTES])
        return [*lines, *notes, *([""] if notes else []), *self._foot(report)]

    # --- one incident -------------------------------------------------------------------------------------------------

    def _incident(self, incident: Incident, *, independent: bool) -> list[str]:
        open_question = incident.status == "undetermined"
        mark, style = ("?", "unsure") if open_question else ("✖", "fail")
        lines = self._verdict(mark, style, phrases.headline(incident, independent=independent))
        lines = self.page.beside(lines, phrases.certainty(incident), "dim")
        now = 1 if open_question else 0
        sections = [
            self._place(incident),
            self._missing("Fetch", incident.missing[:now]),
            [*self._reason(incident, open_question), *self._cause(incident, open_question)],
            [
                *self._fixes("Fix, if so" if open_question else "Fix", incident.fix),
                *self._checks(incident.verify),
                *self._missing("Missing", incident.missing[now:MOST_MISSING]),
            ],
            self._collateral(incident),
        ]
        for section in sections:
            lines += ["", *section] if section else []
        return lines

    def _verdict(self, mark: str, style: Style, text: str) -> list[str]:
        lead: list[Span] = [(mark, style)]
        return self.page.paragraph([(text, style)], indent=2, lead=lead)

    def _place(self, incident: Incident) -> list[str]:
        first = incident.initiator
        if first.source is None or first.line is None:
            return []
        time = phrases.clock(first.time)
        spot = f"{first.source}:{first.line}"
        lines = ["  " + self.page.clean(f"{time}  {spot}" if time else spot)]
        if first.text:
            lines += self.page.paragraph([(shortened(first.text, _QUOTED), "quote")], indent=6, lead=[("    > ", "dim")])
        supporting = [e for e in incident.evidence if e.role == "supporting"]
        for item in supporting[:MOST_EVIDENCE]:
            text = f"{self.places.at(item.source, item.line)}: {item.text}"
            lines += self.page.paragraph([("also", "dim"), (shortened(text, self.page.width - 11), "plain")], indent=6)
        return lines

    def _reason(self, incident: Incident, open_question: bool) -> list[str]:
        return self._section("Known" if open_question else "Why first", [(self.places.compact(incident.why_first), "plain")])

    def _cause(self, incident: Incident, open_question: bool) -> list[str]:
        turn = phrases.turn(incident)
        spans: list[Span] = [(self.places.compact(phrases.cause(incident)), "plain")]
        if turn and not open_question:
            spans.append((f"Whose turn: {turn}.", "label"))
        return self._section("Suspected" if open_question else "Cause", spans)

    def _fixes(self, label: str, fixes: Sequence[FixStep]) -> list[str]:
        lines: list[str] = []
        for number, fix in enumerate(fixes[:MOST_FIXES], start=1):
            mark = f"{number}  " if len(fixes) > 1 else ""
            caution: list[Span] = [(f"[{fix.caution}]", "caution")] if fix.caution else []
            lines += self._section(label if number == 1 else "", [(fix.text, "plain"), *caution], mark=mark)
            lines += self._command(fix.command, deeper=len(mark) + 2)
        return lines

    def _checks(self, checks: Sequence[VerifyStep]) -> list[str]:
        lines: list[str] = []
        for number, check in enumerate(checks[:MOST_CHECKS], start=1):
            label, mark = "Verify" if number == 1 else "", f"{number}  " if len(checks) > 1 else ""
            expected: list[Span] = [("expect", "dim"), (check.expect, "plain")] if check.expect else []
            if check.command and not check.text:
                lines += self._led_command(label, mark, check.command)
                lines += self._section("", expected, mark=" " * (len(mark) + 2)) if expected else []
            else:
                joint: list[Span] = [(f"{check.text}:" if expected else check.text, "plain")] if check.text else []
                lines += self._section(label, [*joint, *expected], mark=mark)
                lines += self._command(check.command, deeper=len(mark) + 2)
        return lines

    def _missing(self, label: str, facts: Sequence[Missing]) -> list[str]:
        lines: list[str] = []
        for number, fact in enumerate(facts):
            lines += self._section(label if number == 0 else "", [(phrases.missing_line(fact), "plain")])
            lines += self._command(fact.command, deeper=2)
        return lines

    def _collateral(self, incident: Incident) -> list[str]:
        rows = phrases.ordered(incident.collateral)
        shown = rows[:MOST_COLLATERAL]
        digits = max((len(str(c.count)) for c in shown), default=0)
        lines: list[str] = []
        for reason, group in groupby(shown, key=lambda c: c.explained_by):
            for row in group:
                lines += self._section("" if lines else "Collateral", [(self._row(row), "plain")], mark=f"{row.count:>{digits}} × ")
            lines += self._section("", [(f"({reason})", "dim")], mark=" " * (digits + 3))
        if len(rows) > len(shown):
            lines += self._section("", [(f"and {plural(len(rows) - len(shown), 'more kind')}", "dim")])
        return lines

    def _row(self, row: Collateral) -> str:
        parts = (phrases.ranks_of(row), self.places.at(row.source, row.line))
        return " · ".join([row.title, *(_together(p) for p in parts if p)])

    def _notes(self, notes: Sequence[str]) -> list[str]:
        lines: list[str] = []
        for note in notes:
            lines += self._section("" if lines else "Notes", [(self.places.compact(note), "plain")])
        return lines

    def _foot(self, report: Report) -> list[str]:
        pages = dict.fromkeys(i.signature for i in report.incidents[:MOST_INCIDENTS] if i.named_by != "structure")
        parts = [phrases.amount(report.sources)]
        if len(report.run.hosts) > 1:
            parts.append(plural(len(report.run.hosts), "node"))
        if report.run.world_size:
            parts.append(plural(report.run.world_size, "rank"))
        if report.run.attempts > 1:
            parts.append(plural(report.run.attempts, "attempt"))
        if pages:
            parts.append("more: " + ", ".join(f"firstfault explain {name}" for name in pages))
        return self.page.paragraph([(" · ".join(parts), "dim")], indent=2)

    # --- pieces -------------------------------------------------------------------------------------------------------

    def _section(self, label: str, spans: Sequence[Span], *, mark: str = "") -> list[str]:
        """A paragraph beside its label; in a narrow window below it."""
        if self.page.width >= _NARROW:
            lead: list[Span] = [(f"  {label}".ljust(_LABELS), "label"), (mark, "plain")]
            return self.page.paragraph(spans, indent=_LABELS + columns(mark), lead=lead)
        head = self.page.paragraph([(label, "label")], indent=2) if label else []
        return [*head, *self.page.paragraph(spans, indent=4 + columns(mark), lead=[("    ", "plain"), (mark, "plain")])]

    def _command(self, command: str | None, *, deeper: int) -> list[str]:
        indent = (_LABELS if self.page.width >= _NARROW else 4) + deeper
        return self.page.verbatim(command, indent=indent, style="command") if command else []

    def _led_command(self, label: str, mark: str, command: str) -> list[str]:
        """A command that stands where its text would stand."""
        first, *rest = self._command(command, deeper=len(mark))
        if self.page.width >= _NARROW:
            head = self.page.paint(f"  {label}".ljust(_LABELS), "label") + mark
            return [head + first[_LABELS + len(mark) :], *rest]
        above = self.page.paragraph([(label, "label")], indent=2) if label else []
        return [*above, "    " + mark + first[4 + len(mark) :], *rest]


def _together(text: str) -> str:
    """A short piece that is not to be torn apart at the end of a line."""
    return text.replace(" ", NO_BREAK) if len(text) <= 24 else text
