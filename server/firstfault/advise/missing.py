"""Names the one fact that would settle what is not settled, and how to get it."""

from __future__ import annotations

from collections.abc import Mapping

from firstfault.advise.fill import command, filled, on_host
from firstfault.advise.recorder import missing_dumps
from firstfault.catalog.page import Page
from firstfault.correlate.decision import Decided, Decision
from firstfault.report import Missing
from firstfault.wording import ranks_named

_DUMPS = "/tmp/nccl_trace_rank_*"


def missing_facts(decided: Decided, decision: Decision, page: Page | None, values: Mapping[str, str]) -> list[Missing]:
    """What to fetch, most telling first; nothing where the cause is established."""
    if decided.status == "established":
        return []
    facts: list[Missing] = []
    if page is not None:
        facts.extend(
            Missing(
                fact=filled(m["fact"], values),
                command=on_host(command(m["run"], values), values) if m["run"] else None,
                would_show=filled(m["would_show"], values),
            )
            for m in page["missing"]
        )
    dumps = missing_dumps(decided, decision)
    if dumps is not None:
        facts = [*(f for f in facts if not _of_recorder(f)), *dumps]
    if decided.status == "undetermined":
        kernel_log_asked = any("dmesg" in (f.command or "") or "kernel log" in f.fact for f in facts)
        general = _general(decided, decision, dumps_asked=dumps is not None)
        facts.extend(f for f in general if not (kernel_log_asked and "kernel log" in f.fact))
    return facts


def _of_recorder(fact: Missing) -> bool:
    """The catalogue asks for dumps in general; this run tells which of them are missing."""
    return "flight recorder" in fact.fact


def _general(decided: Decided, decision: Decision, *, dumps_asked: bool) -> list[Missing]:
    host = decided.suspect.host or "<HOST>"
    out: list[Missing] = []
    absent = sorted({*range(decision.world_size or 0)} - {*decision.ranks} | {*decision.unlogged})
    if absent:
        out.append(
            Missing(
                fact=f"the {'log' if len(absent) == 1 else 'logs'} of {ranks_named(absent)}",
                command=None,
                would_show=f"whether {'it' if len(absent) == 1 else 'one of them'} failed by itself before the others waited",
            )
        )
    if decided.suspect.death is not None and decided.suspect.death.code in (-9, None):
        out.append(
            Missing(
                fact=f"the kernel log of {host} at that time",
                command=f"ssh {host} \"dmesg -T | grep -iE 'oom|killed process|xid'\"",
                would_show="whether the kernel's OOM killer ended the process, or somebody else did",
            )
        )
    if decided.suspect.death is None:
        out.append(
            Missing(
                fact="the output of every other rank and node" + ("" if dumps_asked else f", and the flight-recorder dumps ({_DUMPS})"),
                command=f"ssh {host} '" + ("" if dumps_asked else f"ls {_DUMPS} && ") + "dmesg -T | tail -200'",
                would_show="which rank did not join, and whether it had an error of its own",
            )
        )
    return out
