"""The phrases that every view for people shares: who failed, where, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firstfault.model import SourceInfo
from firstfault.report import Collateral, Incident, Initiator, Missing, Report, VerifyStep
from firstfault.wording import plural, ranks_named

_QUOTE = re.compile(r"\s*The log says: “.*”\s*\Z", re.DOTALL)
_ARTICLE = re.compile(r"(?:An?|The) ")
_PLAIN_START = re.compile(r"[a-z]+ ")
_SECONDS = re.compile(r"\d+(?:\.\d+)?\Z")
_CLAUSE = re.compile(r"(?:whether|which|who|what|how|why|when|where|if|that) ")
_ROLES = {"effect": 0, "cause": 1, "wrapper": 2}
TURNS = {
    "code": "your code",
    "data": "the data",
    "configuration": "the configuration",
    "environment": "the environment",
    "hardware": "the hardware",
    "network": "the network",
    "storage": "the storage",
    "scheduler": "the scheduler",
}
"""Whose turn it is, by the owner of a failure."""


def who(initiator: Initiator) -> str | None:
    """The process that failed, as far as the log names it: `rank 12 on node-d`."""
    if initiator.rank is not None:
        return f"rank {initiator.rank} on {initiator.host}" if initiator.host else f"rank {initiator.rank}"
    return f"host {initiator.host}" if initiator.host else None


def headline(incident: Incident, *, independent: bool = False) -> str:
    """The verdict on one incident, in one line that can be read aloud."""
    subject = who(incident.initiator)
    if incident.status == "undetermined":
        start = "Another fault, not settled." if independent else "First fault not settled."
        return f"{start} {_capital(subject) if subject else 'The log shows'}: {_lowered(incident.title)}"
    if subject is None:
        return f"{'Independent fault' if independent else 'First fault'}: {incident.title}"
    return f"{_capital(subject)} failed {'independently' if independent else 'first'}: {incident.title}"


def certainty(incident: Incident) -> str:
    """Status and confidence."""
    return f"{incident.status} · {incident.confidence:.2f}"


def turn(incident: Incident) -> str | None:
    """Whose turn it is to act."""
    return TURNS.get(incident.owner or "")


def cause(incident: Incident) -> str:
    """The cause without the log line, for views that quote it already."""
    return _QUOTE.sub("", incident.cause) if incident.initiator.text else incident.cause


def clock(time: str | None) -> str | None:
    """A time as people read it: to the second, without the T."""
    if time is None:
        return None
    if _SECONDS.match(time):
        return f"{time} s after boot"
    return re.sub(r"(:\d\d)[.,]\d+", r"\1", time.replace("T", " ", 1))


def missing_line(missing: Missing) -> str:
    """What to fetch and what it would tell, in one sentence."""
    joint = " would show " if _CLAUSE.match(missing.would_show) else ": "
    return f"{_capital(missing.fact)}{joint}{missing.would_show}"


def check_line(check: VerifyStep) -> str:
    """What to look at and what to expect, in one sentence."""
    if not check.expect:
        return check.text
    return f"{check.text}: expect {check.expect}" if check.text else f"Expect {check.expect}"


def check_command(incident: Incident) -> str | None:
    """The first command that verifies the fix."""
    return next((v.command for v in incident.verify if v.command), None)


def ranks_of(collateral: Collateral) -> str | None:
    """The ranks of a row of collateral: `ranks 0–11, 13`."""
    return ranks_named(collateral.ranks) if collateral.ranks else None


def ordered(collateral: Sequence[Collateral]) -> list[Collateral]:
    """Effects first, launchers last; the most frequent first among equals."""
    return sorted(collateral, key=lambda c: (_ROLES[c.role], -c.count))


def amount(sources: Sequence[SourceInfo]) -> str:
    """What was read: `16 logs, 2.1 GB`."""
    return f"{plural(len(sources), 'log')}, {_bytes(sum(s.bytes for s in sources))}"


def healthy_line(report: Report) -> str:
    """The verdict on a run that did not fail."""
    return f"No failure found in {plural(len(report.sources), 'log')} ({_bytes(sum(s.bytes for s in report.sources))})."


def _bytes(size: int) -> str:
    value = float(size)
    for unit in ("bytes", "KB", "MB", "GB"):
        if value < 1000:
            return f"{size} bytes" if unit == "bytes" else f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if _PLAIN_START.match(text) else text


def _lowered(title: str) -> str:
    return title[:1].lower() + title[1:] if _ARTICLE.match(title) else title
