"""What a log says about its run as a whole: how many processes, which launcher."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from firstfault.lazy import Lazy
from firstfault.model import Introduction, Line, Provenance, WorldClaim
from firstfault.scan.introductions import introduction_of

_WORLD = Lazy(
    r"(?<![A-Za-z0-9]_)(?<!group )(?<!parallel )(?:world[_ ]size|WORLD_SIZE|dist_world_size|num_processes)"
    r"\"?'?(?:\s*[=:]\s*|\s+)(?P<world>\d{1,6})\b"
    r"|\b[Rr]ank \d+ of (?P<of>\d{1,6})\b|MEMBER: \d+/(?P<member>\d{1,6})\b|\bnranks (?P<communicator>\d{1,6})\b"
)
"""NCCL's `nranks` counts the members of one communicator, which need not be all of the job."""


_NODE = Lazy(r"^\s*Node: +(?P<node>[\w.-]+)/\d|Successfully assigned \S+ to (?P<assigned>[\w.-]+)")
_ENOUGH = 256


_RESTART = Lazy(r"restart_count=(?P<count>\d+)")


class RunFacts:
    """Collects facts as lines pass by."""

    def __init__(self) -> None:
        self._worlds: Counter[tuple[int, bool]] = Counter()
        self._introductions: dict[Introduction, None] = {}
        self._notes = 0
        self._restarts = 0
        self.attempts = 1
        self._nodes: dict[str, None] = {}
        self._sections: dict[str, None] = {}

    def follow(self, later: RunFacts) -> None:
        """Take in what a later part of the same log says."""
        self._worlds.update(later._worlds)
        self._introductions.update(later._introductions)
        self.attempts = max(self.attempts + later._restarts, later.attempts)
        self._restarts += later._restarts
        self._nodes.update(later._nodes)
        self._sections.update(later._sections)

    def note_node(self, line: Line) -> None:
        """Remember the node that `kubectl describe` says a pod runs on."""
        match = _NODE.search(line.text)
        if match:
            self._nodes.setdefault(match["node"] or match["assigned"])

    def note_sections(self, writers: Iterable[Provenance]) -> None:
        """Remember the hosts whose logs begin below headings."""
        self._sections.update(dict.fromkeys(who.host for who in writers if who.host))

    @property
    def sections(self) -> tuple[str, ...]:
        """Hosts whose logs stand below headings."""
        return tuple(self._sections)

    def note_restart(self, line: Line) -> None:
        """Remember that the elastic agent starts the workers once more."""
        self._restarts += 1
        counted = _RESTART.search(line.text)
        self.attempts = max(self.attempts + 1, int(counted["count"]) + 1) if counted else self.attempts + 1

    @property
    def hosts(self) -> tuple[str, ...]:
        """Nodes named by the scheduler."""
        return tuple(self._nodes)

    @property
    def worlds(self) -> tuple[WorldClaim, ...]:
        """The world sizes that lines state."""
        return tuple(WorldClaim(size, times, of_job) for (size, of_job), times in sorted(self._worlds.items()))

    @property
    def introductions(self) -> tuple[Introduction, ...]:
        """Which process is which rank, by the word of lines."""
        return tuple(self._introductions)

    @property
    def wants_world(self) -> bool:
        """Whether more lines about the world size would tell anything."""
        return self._notes < _ENOUGH

    def note_world(self, line: Line) -> None:
        """Remember a world size that a line states, and the rank that a process says it is."""
        self._notes += 1
        introduction = introduction_of(line)
        if introduction is not None:
            self._introductions.setdefault(introduction)
        for match in _WORLD.finditer(line.text):
            size = int(match["world"] or match["of"] or match["member"] or match["communicator"])
            if 0 < size <= 1_000_000:
                self._worlds[size, not match["communicator"]] += 1
