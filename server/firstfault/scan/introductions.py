"""Lines by which processes say which rank they are, and by which launchers say it of them."""

from __future__ import annotations

from firstfault.lazy import Lazy
from firstfault.model import Introduction, Line

_OF_ANOTHER = Lazy(
    # Ray Train, in the log of its controller: ray-project/ray pull request 40536.
    r"\bip=(?P<host>[\w.:-]+), pid=(?P<pid>\d{1,9})\) (?:world_)?rank=(?P<rank>\d{1,6}), local_rank=(?P<local_rank>\d{1,4})"
)
_OF_ITSELF = (
    Lazy(r"\bcomm 0x\w+ rank (?P<rank>\d{1,6}) nranks (?P<members>\d{1,6})\b(?:.{0,60}? busId (?P<bus>[0-9a-f]{1,12})\b)?"),
    Lazy(r"\b[Rr]ank:? (?P<rank>\d{1,6})(?: of |/)(?P<members>\d{1,6})\b"),
    Lazy(r"\bGLOBAL_RANK: (?P<rank>\d{1,6}), MEMBER: \d+/(?P<members>\d{1,6})\b"),
    Lazy(r"\bdistributed init \(rank (?P<rank>\d{1,6})\b"),
    Lazy(r"\binitialized host \S+ as rank (?P<rank>\d{1,6})\b"),
)


def introduction_of(line: Line) -> Introduction | None:
    """Who is which rank by the word of this line."""
    who = line.origin
    other = _OF_ANOTHER.search(line.text)
    if other is not None:
        return Introduction(
            rank=int(other["rank"]), host=other["host"], pid=int(other["pid"]), local_rank=int(other["local_rank"]), itself=False
        )
    for form in _OF_ITSELF:
        match = form.search(line.text)
        if match is None:
            continue
        fields = match.groupdict()
        size = int(fields["members"]) if fields.get("members") else None
        bus = int(fields["bus"], 16) if fields.get("bus") else None
        if size is not None and int(match["rank"]) >= size:
            return None  # counted from 1, or no rank
        return Introduction(rank=int(match["rank"]), host=who.host, pid=who.pid, label=who.label, task=who.task, members=size, bus=bus)
    return None
