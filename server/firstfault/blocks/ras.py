"""What `ncclras` tells of a job: processes that do not answer, and ranks that are behind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from firstfault.lazy import Lazy
from firstfault.model import LineNumber, Rank

_HEAD = Lazy(r"^\s*(?:Job summary\s*$|Communicators\.\.\. \(\d|RAS Monitor Mode)")
_COMMUNICATOR = Lazy(r"^\s*#\d+-\d+ \((?P<hash>[0-9a-f]+)\)")
_PROCESS = Lazy(r"Process (?P<pid>\d+) on node (?P<host>\S+?) managing GPUs? (?P<gpu>\d+)")
_MISSING = Lazy(r"^\s*The missing ranks?: (?P<ranks>[\d, -]+)$")
_DEAD = Lazy(r"job process(?:es)? (?:is|are) considered dead")
_BEHIND = Lazy(r"^\s*(?P<count>\d+) ranks? (?:has|have) launched up to (?:\w+ )?operation (?P<count_of>\d+)")
_RANK = Lazy(r"^\s*Rank (?P<rank>\d+) -- GPU (?P<gpu>\d+) managed by process (?P<pid>\d+) on node (?P<host>\S+)")
_SAMPLE = 30


class RasProcess(NamedTuple):
    """A process that does not answer on the RAS network."""

    host: str
    pid: int
    gpu: int
    dead: bool
    line: LineNumber


class RasMissing(NamedTuple):
    """Ranks of a communicator that gave no data."""

    communicator: str
    ranks: tuple[Rank, ...]
    line: LineNumber
    text: str


class RasBehind(NamedTuple):
    """Ranks that have launched fewer operations than the others."""

    communicator: str
    ranks: tuple[Rank, ...]
    operations: int
    most: int
    line: LineNumber


class RasStatus(NamedTuple):
    """All that one answer of the RAS network tells."""

    missing: tuple[RasMissing, ...] = ()
    processes: tuple[RasProcess, ...] = ()
    behind: tuple[RasBehind, ...] = ()
    """Alone no fault: the counts of a job at work differ for a moment."""


def is_ras(lines: Sequence[str]) -> bool:
    """Whether lines are what `ncclras` prints."""
    sample = [line for line in lines[:_SAMPLE] if line.strip()]
    if any(_HEAD.match(line) for line in sample):
        return True
    text = "".join(sample[:_SAMPLE])
    return text.lstrip().startswith("{") and '"communicators_count"' in text and '"nccl_version"' in text


def read_ras(lines: Sequence[str]) -> RasStatus:
    """The processes and ranks that an answer of the RAS network names."""
    if any(line.lstrip().startswith("{") for line in lines[:2]):
        return _from_json("\n".join(lines))
    missing: list[RasMissing] = []
    processes: list[RasProcess] = []
    communicator, dead = "", False
    for number, line in enumerate(lines, 1):
        if named := _COMMUNICATOR.match(line):
            communicator, dead = named["hash"], False
        elif _DEAD.search(line) or "PEER_DEAD" in line:
            dead = True
        elif "Missing communicator data from" in line:
            dead = False
        if found := _MISSING.match(line):
            missing.append(RasMissing(communicator, tuple(_numbers(found["ranks"])), number, line.strip()))
        if found := _PROCESS.search(line):
            processes.append(RasProcess(found["host"], int(found["pid"]), int(found["gpu"]), dead, number))
    return RasStatus(tuple(missing), tuple(processes), tuple(_behind(lines)))


def _behind(lines: Sequence[str]) -> Iterator[RasBehind]:
    """The groups of ranks with fewer operations than the largest group, where their members are listed."""
    communicator, most, current = "", 0, 0
    ranks: list[Rank] = []
    start = 0
    for number, line in enumerate([*lines, ""], 1):
        named, counted, member = _COMMUNICATOR.match(line), _BEHIND.match(line), _RANK.match(line)
        if member:
            ranks.append(int(member["rank"]))
            continue
        if ranks and current < most:
            yield RasBehind(communicator, tuple(ranks), current, most, start)
        ranks = []
        if named:
            communicator, most = named["hash"], 0
        if counted:
            current, start = int(counted["count_of"]), number
            most = max(most, current)


def _numbers(text: str) -> Iterator[Rank]:
    for part in text.replace(" ", "").split(","):
        low, _, high = part.partition("-")
        if low.isdigit():
            yield from range(int(low), int(high if high.isdigit() else low) + 1)


def _from_json(text: str) -> RasStatus:
    try:
        answer: object = json.loads(text)
    except ValueError:
        return RasStatus()
    missing: list[RasMissing] = []
    processes: list[RasProcess] = []
    for communicator in _dicts(answer, "communicators"):
        absent = _dicts(communicator, "missing_ranks")
        ranks = tuple(r for a in absent if isinstance(r := a.get("rank"), int))
        if ranks:
            listed = ", ".join(map(str, ranks))
            missing.append(RasMissing(str(communicator.get("hash", "")), ranks, 1, f"The missing rank{'s' * (len(ranks) > 1)}: {listed}"))
        for a in absent:
            status = a.get("status")
            dead = isinstance(status, dict) and bool(cast("dict[str, object]", status).get("considered_dead"))
            pid, gpu = a.get("pid"), a.get("cuda_dev")
            if isinstance(pid, int) and isinstance(gpu, int):
                processes.append(RasProcess(str(a.get("host", "")), pid, gpu, dead, 1))
    return RasStatus(tuple(missing), tuple(processes))


def _dicts(value: object, key: str) -> list[dict[str, object]]:
    inner = cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
    return [cast("dict[str, object]", v) for v in cast("list[object]", inner) if isinstance(v, dict)] if isinstance(inner, list) else []
