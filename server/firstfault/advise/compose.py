"""Makes the report: the decision in words, with the entry's knowledge filled from this log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firstfault.advise.clock import clock_notes
from firstfault.advise.fill import command, filled
from firstfault.advise.missing import missing_facts
from firstfault.advise.notes import absent_logs
from firstfault.advise.recorder import recorder_notes, recorder_summary
from firstfault.advise.structure import describe
from firstfault.advise.table_row import describe_row, find_row
from firstfault.advise.timeline import timeline_of
from firstfault.advise.titles import title_of
from firstfault.blocks.frames import own_frame
from firstfault.catalog.compiled import Catalog
from firstfault.catalog.page import CheckPage, FixPage, Page
from firstfault.correlate.decision import Decided, Decision
from firstfault.correlate.faults import Fault
from firstfault.correlate.suspects import Suspect
from firstfault.lazy import Lazy
from firstfault.model import SourceInfo, SourceScan
from firstfault.report import Collateral, Evidence, FixStep, Incident, Initiator, Link, Report, Run, Tool, TraceStep, VerifyStep
from firstfault.wording import plural, shortened

_GPU = Lazy(r"(?i)\b(?:GPU|cuda:|device:? ?)(\d{1,2})\b")
_CAUTIONS = {"admin": "needs admin rights", "restart": "restarts the job", "data-loss": "can lose data"}
_MOST_NOTES = 3


def compose(decision: Decision, catalog: Catalog, tool: Tool, notes: tuple[str, ...], *, trace: bool = False) -> Report:
    """The report of a decision; with `trace` it lists every finding."""
    scans = decision.scans
    decision = decision._replace(incidents=tuple(_hosted(d, decision) for d in decision.incidents))
    incidents = [_incident(d, decision, catalog) for d in decision.incidents]
    sources = [s.info for s in scans]
    run = Run(
        launcher=_launcher(scans),
        world_size=decision.world_size,
        attempts=decision.attempts,
        hosts=list(decision.hosts),
        ranks_seen=list(decision.ranks),
    )
    return Report(
        schema="firstfault.report/1",
        tool=tool,
        verdict=decision.verdict,
        summary=_summary(incidents, sources) + recorder_summary(decision),
        sources=sources,
        run=run,
        incidents=incidents,
        notes=[*notes, *_notes(decision, catalog), *absent_logs(decision), *_of_evidence(decision)],
        timeline=timeline_of(decision, scans, catalog),
        trace=_trace(decision, scans, catalog) if trace else None,
    )


def _of_evidence(decision: Decision) -> list[str]:
    return [*clock_notes(decision), *recorder_notes(decision)]


def _trace(decision: Decision, scans: Sequence[SourceScan], catalog: Catalog) -> list[TraceStep]:
    from firstfault.advise.trace import trace_of

    return trace_of(decision, scans, catalog)


def _hosted(decided: Decided, decision: Decision) -> Decided:
    """With the host, where the logs speak of one host alone."""
    suspect = decided.suspect
    if decided.anybody:
        return decided
    if suspect.host is None and len(decision.hosts) == 1:
        suspect = suspect._replace(host=decision.hosts[0])
    if suspect.rank is None and suspect.host is not None and not _of_victims(decided):
        failed = {d.rank for d in decision.deaths if d.failed and d.rank is not None and d.host == suspect.host}
        if len(failed) == 1:
            suspect = suspect._replace(rank=failed.pop())
    return decided._replace(suspect=suspect)


def _of_victims(decided: Decided) -> bool:
    """Only effects are known, so that a rank which failed on that host may be a victim like the others."""
    fault = decided.suspect.fault
    return decided.status == "undetermined" and decided.suspect.death is None and fault is not None and fault.role == "effect"


def _summary(incidents: Sequence[Incident], sources: Sequence[SourceInfo]) -> str:
    if not incidents:
        return f"No failure found in {plural(len(sources), 'log')}."
    top = incidents[0]
    who = _who(top.initiator.rank, top.initiator.host)
    title = top.title
    if top.status == "undetermined":
        return f"The first fault cannot be told from this log; it shows: {title}."
    collateral = sum(c.count for c in top.collateral if c.role == "effect")
    rest = f"; {plural(collateral, 'other failure')} followed from it" if collateral else ""
    return f"{who}: {title}{rest}."


def _who(rank: int | None, host: str | None) -> str:
    if rank is not None:
        return f"Rank {rank} on {host} failed first" if host else f"Rank {rank} failed first"
    return f"{host} failed first" if host else "First fault"


def _incident(decided: Decided, decision: Decision, catalog: Catalog) -> Incident:
    suspect = decided.suspect
    page = catalog.page(suspect.signature)
    values = values_of(suspect)
    if page is None:
        return _unknown(decided, decision, catalog)
    missing = missing_facts(decided, decision, page, values)
    fix = [_fix(f, values) for f in page["fix"]]
    return Incident(
        signature=page["id"],
        title=filled(page["title"], values),
        category=page["id"].split("/", 1)[0],
        severity=page["severity"],  # pyright: ignore[reportArgumentType]
        confidence=decided.confidence,
        status=decided.status,
        named_by="entry",
        owner=page["owner"],
        cause=_cause(page, suspect, values),
        initiator=_initiator(suspect),
        why_first=" ".join(decided.why),
        evidence=_evidence(decided),
        collateral=_collateral(decided, catalog),
        fix=fix,
        verify=[_verify(c, values) for c in (*page["verify"], *page["confirm"])],
        missing=missing,
        next_action=_next(decided, fix[0].text if fix else "", missing[0].fact if missing else ""),
        references=[Link(title=r["says"], url=r["url"]) for r in page["references"]],
    )


def _next(decided: Decided, fix: str, missing: str) -> str:
    if decided.status == "undetermined" and missing:
        return f"Get {missing}."
    return fix


def _unknown(decided: Decided, decision: Decision, catalog: Catalog) -> Incident:
    suspect = decided.suspect
    row = find_row(suspect.signature, catalog)
    words = describe_row(row, suspect.text or "") if row else describe(suspect)
    return Incident(
        signature=suspect.signature,
        title=words.title,
        category=words.category,
        severity="critical" if row and row.severity == "critical" else "error",
        confidence=decided.confidence,
        status=decided.status,
        named_by="table" if row else "structure",
        owner=row.owner if row else None,
        cause=words.cause,
        initiator=_initiator(suspect),
        why_first=" ".join(decided.why),
        evidence=_evidence(decided),
        collateral=_collateral(decided, catalog),
        fix=words.fix,
        verify=words.verify,
        missing=[*words.missing, *missing_facts(decided, decision, None, {})],
        next_action=words.next_action,
        references=[],
    )


def values_of(suspect: Suspect) -> dict[str, str]:
    """What the log gives for the placeholders of an entry."""
    values: dict[str, str] = {}
    for name in ("rank", "host", "pid"):
        value = getattr(suspect, name)
        if value is not None:
            values[name] = str(value)
    fault = suspect.fault
    if fault is None:
        return values
    raised = fault.best.raised
    frame = own_frame(raised) if raised else None
    if frame:
        values["file"] = frame.file
        values["line"] = str(frame.line)
    gpu = _GPU.search(fault.best.text)
    if gpu:
        values["gpu"] = gpu[1]
    for finding in (fault.best, *fault.others):
        if finding.signature == suspect.signature:
            values.update({k: v for k, v in finding.captures if v})
    return values


def _cause(page: Page, suspect: Suspect, values: Mapping[str, str]) -> str:
    text = filled(page["cause"], values)
    own = suspect.fault is not None and suspect.fault.signature == suspect.signature
    raised = suspect.fault.best.raised if suspect.fault and own else None
    frame = own_frame(raised) if raised else None
    if frame is not None and frame.line is not None:
        text += f" Raised at {frame.file}:{frame.line}" + (f" in {frame.function}." if frame.function else ".")
    if suspect.text:
        text += f" The log says: “{shortened(suspect.text, 240)}”"
    return text


def _initiator(suspect: Suspect) -> Initiator:
    return Initiator(
        rank=suspect.rank,
        local_rank=suspect.local_rank,
        host=suspect.host,
        pid=suspect.pid,
        time=suspect.stamp.text if suspect.stamp else None,
        source=suspect.source,
        line=suspect.line,
        text=shortened(suspect.text, 500) if suspect.text else None,
    )


def _evidence(decided: Decided) -> list[Evidence]:
    suspect = decided.suspect
    out: list[Evidence] = []
    if suspect.source and suspect.line:
        out.append(
            Evidence(
                source=suspect.source,
                line=suspect.line,
                end_line=max(suspect.line, suspect.end_line or suspect.line),
                text=shortened(suspect.text or "", 500),
                role="initiating",
            )
        )
    fault = suspect.fault
    if fault is not None and (fault.best.source, fault.best.line) != (suspect.source, suspect.line):
        out.append(_line(fault.best.source, fault.best.line, fault.best.text))
    out.extend(_line(*place) for place in suspect.context[:6])
    seen: set[tuple[str, int]] = set()
    unique: list[Evidence] = []
    for item in out:
        if (item.source, item.line) not in seen:
            seen.add((item.source, item.line))
            unique.append(item)
    return unique


def _line(source: str, line: int, text: str) -> Evidence:
    return Evidence(source=source, line=line, end_line=line, text=shortened(text, 300), role="supporting")


def _collateral(decided: Decided, catalog: Catalog) -> list[Collateral]:
    groups: dict[tuple[str, str], list[Fault]] = {}
    reasons: dict[tuple[str, str], str] = {}
    for item in decided.explained:
        key = (item.fault.signature, item.fault.role)
        groups.setdefault(key, []).append(item.fault)
        reasons.setdefault(key, item.because)
    out: list[Collateral] = []
    for (signature, role), faults in groups.items():
        first = faults[0]
        out.append(
            Collateral(
                signature=signature,
                title=title_of(first.best, catalog),
                ranks=sorted({f.rank for f in faults if f.rank is not None}),
                source=first.best.source,
                line=first.best.line,
                count=sum(f.count for f in faults),
                role=role,  # pyright: ignore[reportArgumentType]
                explained_by=reasons[(signature, role)],
            )
        )
    return out


def _fix(fix: FixPage, values: Mapping[str, str]) -> FixStep:
    text = filled(fix["do"], values)
    if fix["costs"]:
        text += f" (costs: {filled(fix['costs'], values)})"
    return FixStep(
        text=text,
        command=command(fix["run"], values) if fix["run"] else None,
        edit=_edit(fix),
        caution=_CAUTIONS.get(fix["risk"]),
        kind=fix["kind"],
        risk=fix["risk"],
    )


def _edit(fix: FixPage) -> dict[str, str] | None:
    edit = fix["edit"]
    if edit is None:
        return None
    for name in ("set_keyword", "set_env", "wrap_argument", "replace_method"):
        values = edit.get(name)
        if values:
            return {"kind": name.replace("_", "-"), **{k: v for k, v in values.items() if v is not None}}
    return None


def _verify(check: CheckPage, values: Mapping[str, str]) -> VerifyStep:
    return VerifyStep(
        text=filled(check["do"], values) if check["do"] else "",
        command=command(check["run"], values) if check["run"] else None,
        expect=filled(check["read"], values),
    )


def _launcher(scans: Sequence[SourceScan]) -> str | None:
    reporters = [e.reporter for s in scans for e in s.exits]
    for name in ("torchrun", "torchrun-summary", "srun", "mpirun", "mp.spawn", "deepspeed", "lightning"):
        if name in reporters:
            return name.removesuffix("-summary")
    return None


def _notes(decision: Decision, catalog: Catalog) -> list[str]:
    shown = {e.fault.signature for d in decision.incidents for e in d.explained} | {d.suspect.signature for d in decision.incidents}
    passing: dict[str, list[Fault]] = {}
    for fault in (item.fault for item in decision.passing):
        if fault.signature not in shown:
            passing.setdefault(title_of(fault.best, catalog), []).append(fault)
    notes: list[str] = []
    for title, faults in list(passing.items())[:_MOST_NOTES]:
        first, count = faults[0].best, sum(f.count for f in faults)
        times = f", {count} times" if count > 1 else ""
        notes.append(f"{title} ({first.source}:{first.line}{times}): it did not end the run")
    if decision.attempts > 1 and decision.incidents:
        first = decision.incidents[0].suspect.fault
        which = f"; the fault is of attempt {first.attempt}" if first is not None and first.attempt is not None else ""
        notes.append(f"The workers were started {decision.attempts} times{which}")
    return notes
