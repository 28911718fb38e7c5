"""Tables and records that schedulers print of jobs, nodes, pods and events: sacct, scontrol, kubectl."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from firstfault.blocks.exits import signal_of
from firstfault.lazy import Lazy
from firstfault.model import NOBODY, LineNumber, ProcessExit, Provenance, Stamp
from firstfault.read import stamps

_SACCT = Lazy(r"^\s*JobID(?:Raw)?\b[\s|,].*\bState\b")
_DASHES = Lazy(r"^[\s-]*-{4,}[\s-]*$")
_JOB = Lazy(r"^\s*JobId=\d+")
_NODE = Lazy(r"^\s*NodeName=\S+")
_POD = Lazy(r"^Name:\s+(?P<name>\S+)")
_EVENTS = Lazy(r"^(?:NAMESPACE\s+)?LAST SEEN\s+TYPE\s+REASON\s+OBJECT\s+MESSAGE")
_PAIR = Lazy(r"(?P<key>[A-Z][\w:]*)=(?P<value>\S*)")
_REASON = Lazy(r"\bReason=(?P<reason>.*?)(?: \[[\w.-]+@(?P<iso>[^\]]+)\])?$")
_FIELD = Lazy(r"^(?P<indent>\s*)(?P<key>[A-Z][\w /-]*?):\s*(?P<value>.*?)\s*$")
_RFC1123 = Lazy(r"(?P<day>\d\d) (?P<month>[A-Z][a-z]{2}) (?P<year>\d{4}) (?P<clock>\d\d:\d\d:\d\d) (?P<zone>[+-]\d{4}|UTC|GMT)")
_OBJECT = Lazy(r"\s(?P<kind>pod|node)/(?P<name>[\w.-]+)\s")
_ASSIGNED = Lazy(r"Successfully assigned \S*?/?(?P<pod>[\w.-]+) to (?P<node>[\w.-]+)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

STATES: Mapping[str, str] = {
    "OUT_OF_MEMORY": "scheduler/slurm-oom",
    "NODE_FAIL": "scheduler/slurm-node-fail",
    "BOOT_FAIL": "scheduler/slurm-node-fail",
    "TIMEOUT": "scheduler/slurm-time-limit",
    "DEADLINE": "scheduler/slurm-time-limit",
    "PREEMPTED": "scheduler/slurm-preempted",
    "CANCELLED": "scheduler/slurm-cancelled",
}
"""Catalogue ids of the states in which the scheduler itself ends a job."""
_UNDER_WAY = frozenset({"RUNNING", "PENDING", "COMPLETING", "CONFIGURING", "REQUEUED", "SUSPENDED", "RESIZING", ""})
_OOM_SIGNAL = 125
"""What Slurm writes in the place of the signal for a job that its memory limit ended."""


class StateSeen(NamedTuple):
    """A state in which the scheduler itself ended a job, at the line that tells it."""

    signature: str
    line: LineNumber
    text: str


@dataclass(slots=True)
class SchedulerSays:
    """All that a table or record of a scheduler tells."""

    layout: str
    exits: list[ProcessExit] = field(default_factory=list[ProcessExit])
    states: list[StateSeen] = field(default_factory=list[StateSeen])
    places: dict[LineNumber, Provenance] = field(default_factory=dict[LineNumber, Provenance])
    """Who the lines are about."""
    hosts: dict[str, None] = field(default_factory=dict[str, None])


def read_scheduler(lines: Sequence[str], source: str) -> SchedulerSays | None:
    """What the output of a scheduler's command tells; None when the lines are none."""
    head = [line for line in lines[:40] if line.strip()][:8]
    readers = ((_SACCT, _sacct), (_JOB, _job), (_NODE, _nodes), (_EVENTS, _events))
    for pattern, reader in readers:
        if any(pattern.match(line) for line in head[:3]):
            return reader(lines, source)
    if head and _POD.match(head[0]) and any(line.startswith(("Namespace:", "Roles:")) for line in head):
        return _describe(lines, source)
    return None


# --- sacct ------------------------------------------------------------------------------------------------------------


def _sacct(lines: Sequence[str], source: str) -> SchedulerSays:
    says = SchedulerSays("sacct")
    rows: list[tuple[LineNumber, str, dict[str, str]]] = []
    columns: list[tuple[str, int, int]] = []
    names: list[str] = []
    separator = ""
    for number, line in enumerate(lines, 1):
        if _SACCT.match(line):
            separator = "|" if "|" in line else "," if "," in line else ""
            names, columns = [n.strip() for n in (line.split(separator) if separator else line.split())], []
        elif not separator and _DASHES.match(line):
            columns = _spans(line, names)
        elif line.strip() and names:
            parts = dict(zip(names, line.split(separator), strict=False)) if separator else {n: line[a:b].strip() for n, a, b in columns}
            rows.append((number, line, parts))
    for number, line, row in _final_rows(rows):
        _job_ended(says, row, (number, line, source), host=_single(row.get("NodeList", "")), end=row.get("End", ""))
    return says


def _spans(dashes: str, names: Sequence[str]) -> list[tuple[str, int, int]]:
    """The columns of a table by the rule below its heads; the last one reaches to the end of the line."""
    starts = [i for i, c in enumerate(dashes) if c == "-" and (i == 0 or dashes[i - 1] != "-")]
    ends = [*starts[1:], 10_000]
    return list(zip(names, starts, ends, strict=False))


def _final_rows(rows: Sequence[tuple[LineNumber, str, dict[str, str]]]) -> Iterable[tuple[LineNumber, str, dict[str, str]]]:
    """The rows that tell how processes ended: those of steps where there are any, else that of the job."""
    kinds: dict[str, set[str]] = {}
    for _, _, row in rows:
        job, _, step = _job_id(row).partition(".")
        kinds.setdefault(job, set()).add(_kind(step))
    for number, line, row in rows:
        job, _, step = _job_id(row).partition(".")
        best = next(k for k in ("step", "batch", "job", "extern") if k in kinds[job])
        if _kind(step) == best:
            yield number, line, row


def _job_id(row: Mapping[str, str]) -> str:
    return (row.get("JobID") or row.get("JobIDRaw") or "").strip()


def _kind(step: str) -> str:
    return "job" if not step else step if step in ("batch", "extern") else "step"


def _job_ended(says: SchedulerSays, row: Mapping[str, str], place: tuple[LineNumber, str, str], *, host: str | None, end: str) -> None:
    number, line, source = place
    state = (row.get("State") or row.get("JobState") or "").split(" ")[0].rstrip("+*")
    full = next((s for s in (*STATES, "COMPLETED", "FAILED") if state and s.startswith(state)), state)
    stamp = stamps.parse({"iso": end}) if len(end) >= 19 else None
    says.places[number] = NOBODY._replace(host=host, stamp=stamp)
    if full in _UNDER_WAY:
        return
    if full in STATES:
        says.states.append(StateSeen(STATES[full], number, line.strip()[:300]))
    if host:
        says.hosts.setdefault(host)
    told = full in STATES and full != "OUT_OF_MEMORY"
    code = _slurm_code(row.get("ExitCode", ""))
    says.exits.append(
        ProcessExit(code=code, reporter="slurm", source=source, line=number, text=line.strip()[:300], host=host, stamp=stamp, told=told)
    )


def _slurm_code(text: str) -> int | None:
    """`exit:signal` as one number."""
    code, _, signal = text.strip().partition(":")
    if not code.isdigit() or not signal.isdigit():
        return None
    if int(signal) == _OOM_SIGNAL:
        return -9
    return -int(signal) if int(signal) else signal_of(int(code))


def _single(nodes: str) -> str | None:
    """The one node of a list, or None when there are several."""
    return nodes.strip() if nodes.strip() and not set(nodes) & set("[],() ") else None


# --- scontrol ---------------------------------------------------------------------------------------------------------


def _job(lines: Sequence[str], source: str) -> SchedulerSays:
    says = SchedulerSays("scontrol-job")
    record: dict[str, str] = {}
    at: dict[str, tuple[LineNumber, str]] = {}

    def close() -> None:
        state = at.get("ExitCode") or at.get("JobState")
        if state is None:
            return
        host = _single(record.get("NodeList", ""))
        _job_ended(says, record, (*state, source), host=host, end=record.get("EndTime", ""))
        if says.states and "JobState" in at and says.states[-1].line == state[0]:
            says.states[-1] = says.states[-1]._replace(line=at["JobState"][0], text=at["JobState"][1].strip())
        says.places.setdefault(at.get("JobState", state)[0], says.places[state[0]])

    for number, line in enumerate(lines, 1):
        if _JOB.match(line):
            close()
            record, at = {}, {}
        for pair in _PAIR.finditer(line):
            record[pair["key"]] = pair["value"]
            at[pair["key"]] = (number, line)
    close()
    return says


def _nodes(lines: Sequence[str], source: str) -> SchedulerSays:
    says = SchedulerSays("scontrol-node")
    name: str | None = None
    for number, line in enumerate(lines, 1):
        if _NODE.match(line):
            name = next((p["value"] for p in _PAIR.finditer(line) if p["key"] == "NodeName"), None)
        reason = _REASON.search(line)
        stamp = stamps.parse({"iso": reason["iso"]}) if reason and reason["iso"] else None
        says.places[number] = NOBODY._replace(host=name, stamp=stamp)
        if reason and name:
            says.hosts.setdefault(name)
    return says


# --- kubectl ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Pod:
    name: str | None = None
    node: str | None = None
    restarts: int = 0
    waiting: list[tuple[str, ProcessExit]] = field(default_factory=list[tuple[str, ProcessExit]])
    part: str = ""
    """State or Last State, whichever the lines stand below."""
    lines: list[LineNumber] = field(default_factory=list[LineNumber])


def _describe(lines: Sequence[str], source: str) -> SchedulerSays:
    says = SchedulerSays("kubectl-describe")
    pod = _Pod()
    for number, line in enumerate(lines, 1):
        if _POD.match(line):
            _close(pod, says)
            pod = _Pod(name=line.split()[1])
        pod.lines.append(number)
        entry = _FIELD.match(line)
        if entry:
            _pod_field(pod, entry["key"], entry["value"], (number, line, source), top=not entry["indent"])
    _close(pod, says)
    return says


def _pod_field(pod: _Pod, key: str, value: str, place: tuple[LineNumber, str, str], *, top: bool) -> None:
    number, line, source = place
    if top and key == "Node":
        pod.node = value.split("/", maxsplit=1)[0] or None
    elif top and key == "Roles":
        pod.node, pod.name = pod.name, None
    elif key in ("State", "Last State"):
        pod.part = key
    elif key == "Exit Code" and value.isdigit():
        code = signal_of(int(value))
        pod.waiting.append((pod.part, ProcessExit(code=code, reporter="kubernetes", source=source, line=number, text=line.strip()[:300])))
    elif key == "Finished" and pod.waiting:
        part, ended = pod.waiting[-1]
        pod.waiting[-1] = (part, ended._replace(stamp=_rfc1123(value)))
    elif key == "Restart Count" and value.isdigit():
        pod.restarts = max(pod.restarts, int(value))


def _close(pod: _Pod, says: SchedulerSays) -> None:
    who = NOBODY._replace(host=pod.node, label=pod.name)
    for number in pod.lines:
        says.places[number] = who
    if pod.node:
        says.hosts.setdefault(pod.node)
    for part, ended in pod.waiting:
        attempt = (pod.restarts - 1 if part == "Last State" else pod.restarts) if pod.restarts else None
        says.exits.append(ended._replace(host=pod.node, attempt=attempt))
        says.places[ended.line] = who._replace(stamp=ended.stamp, attempt=attempt)


def _rfc1123(text: str) -> Stamp | None:
    match = _RFC1123.search(text)
    if match is None or match["month"] not in _MONTHS:
        return None
    month = _MONTHS.index(match["month"]) + 1
    zone = "Z" if match["zone"] in ("UTC", "GMT") else match["zone"]
    return stamps.parse({"iso": f"{match['year']}-{month:02d}-{match['day']}T{match['clock']}{zone}"})


def _events(lines: Sequence[str], source: str) -> SchedulerSays:
    says = SchedulerSays("kubectl-events")
    nodes = {m["pod"]: m["node"] for line in lines if (m := _ASSIGNED.search(line))}
    for number, line in enumerate(lines, 1):
        found = _OBJECT.search(line)
        if not found:
            continue
        pod = found["name"] if found["kind"] == "pod" else None
        host = nodes.get(found["name"]) if pod else found["name"]
        says.places[number] = NOBODY._replace(host=host, label=pod)
        if host:
            says.hosts.setdefault(host)
    return says
