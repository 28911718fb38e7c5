"""Says who wrote a line: takes the known prefixes off and keeps what they tell."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from firstfault.lazy import Lazy
from firstfault.model import NOBODY, Level, Line, Provenance
from firstfault.moments import in_zone_of
from firstfault.read import stamps
from firstfault.read.clean import segments, torn_apart, without_bar

_LEVELS: dict[str, Level] = {
    "D": "debug", "T": "debug", "V": "debug", "I": "info", "N": "info", "W": "warning", "E": "error", "F": "fatal", "C": "fatal",
}  # fmt: skip
_GROUP_RANK = Lazy(r"\[(?:PG[^\]]{0,120} )?Rank (\d+)\]")
_PARALLEL_RANK = Lazy(r"(?:^|[_ ])TP(\d+)")
_OTHER_AXES = Lazy(r"(?:DP|PP|EP|CP)[1-9]")
_TIMES = ("iso", "us", "words", "glog", "uptime", "epoch", "clock")
_LARGEST_PID = 9_999_999
_DEEPEST_NESTING = 8


class LineFormat(NamedTuple):
    """One prefix form; a row of `signatures/tables/line-formats.yaml`."""

    name: str
    starts: str
    pattern: str
    after: bool
    vote: bool

    def may_start(self, first: str) -> bool:
        """Whether a prefix of this form can begin with the character."""
        return first in self.starts or ("d" in self.starts and first.isdigit()) or ("a" in self.starts and first.isalpha())


class PathFormat(NamedTuple):
    """One way to name log files, with what the name tells."""

    name: str
    pattern: str


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


class Prefixes:
    """The line formats that apply in one source."""

    def __init__(self, formats: Sequence[LineFormat], identity: Provenance = NOBODY) -> None:
        self._formats = formats
        self._identity = identity
        self._by_first: dict[str, list[LineFormat]] = {}

    def split(self, raw: bytes, number: int, identity: Provenance | None = None) -> list[Line]:
        """The lines that one physical line holds: one, or one for each redraw by carriage returns and each rank that wrote
        to it. `identity` is who wrote the part of the source that the line stands in, where that is not the writer of the whole."""
        return [self.parse(part, number, identity) for shown in segments(raw) for part in torn_apart(shown)]

    def parse(self, raw: str, number: int = 1, identity: Provenance | None = None) -> Line:
        """A line with its prefixes taken off."""
        text = without_bar(raw) if "%|" in raw else raw
        origin = identity or self._identity
        names: list[str] = []
        stamped = False
        for _ in range(_DEEPEST_NESTING):
            found = self._match(text, stamped, names)
            if found is None:
                break
            form, match = found
            fields = match.groupdict()
            stamped = stamped or any(fields.get(t) for t in _TIMES)
            origin = merge(origin, fields, name=form.name)
            names.append(form.name)
            text = text[match.end() :]
        if origin.rank is None and origin.task is None and "Rank " in text[:160]:
            tag = _GROUP_RANK.match(text)
            if tag:
                origin = origin._replace(rank=int(tag[1]))
        return Line(number=number, text=text, origin=origin, prefix=" ".join(names))

    def _match(self, text: str, stamped: bool, names: list[str]) -> tuple[LineFormat, re.Match[str]] | None:
        if not text:
            return None
        first = text[0]
        candidates = self._by_first.get(first)
        if candidates is None:
            candidates = [f for f in self._formats if f.may_start(first)]
            self._by_first[first] = candidates
        for form in candidates:
            if (form.after and not stamped) or (form.vote and form.name in names):
                continue
            match = _compiled(form.pattern).match(text)
            if match and match.end() > 0:
                return form, match
        return None


def merge(origin: Provenance, fields: Mapping[str, str | None], *, name: str = "") -> Provenance:
    """What is known after one more prefix; a global rank found further inside wins over one found outside."""
    changes: dict[str, object] = {}
    if fields.get("rank"):
        changes["rank"] = int(cast("str", fields["rank"]))
    for key in ("local_rank", "attempt", "task"):
        if fields.get(key):
            changes[key] = int(cast("str", fields[key]))
    if fields.get("host"):
        changes["host"] = fields["host"]
    pid = fields.get("pid")
    if pid and int(pid) <= _LARGEST_PID:
        changes["pid"] = int(pid)
    if fields.get("level"):
        changes["level"] = _LEVELS.get(cast("str", fields["level"])[0].upper())
    if fields.get("logger"):
        changes["logger"] = fields["logger"]
    elif fields.get("uptime") and origin.logger is None:
        changes["logger"] = "kernel"
    label = fields.get("label")
    if label:
        label = label.strip()
        changes["label"] = f"{origin.label}/{label}" if origin.label else label
        tensor_rank = _PARALLEL_RANK.search(label)
        if tensor_rank and not _OTHER_AXES.search(label) and "rank" not in changes:
            changes["rank"] = int(tensor_rank[1])
    stamp = stamps.parse(fields)
    if stamp and (origin.stamp is None or stamp.has_date or not origin.stamp.has_date):
        changes["stamp"] = stamp if origin.stamp is None else in_zone_of(stamp, origin.stamp)
    return origin._replace(**changes) if changes else origin  # pyright: ignore[reportArgumentType]


def identity_of(path: str, paths: Sequence[PathFormat]) -> Provenance:
    """What the name of a log file tells about its writer."""
    who = NOBODY
    for form in paths:
        match = _compiled(form.pattern).search(path)
        if match:
            who = merge(who, {k: v for k, v in match.groupdict().items() if getattr(who, k, None) is None})
    return who


_SECTION = Lazy(
    r"^(?:==> (?P<tail>[^<]{1,200}) <==|[-=#]{3,} ?(?:host |node )?(?P<host>[A-Za-z][\w.-]*)(?::(?P<path>/\S*))? ?[-=#]{3,})\s*$"
)


def section_of(raw: str, paths: Sequence[PathFormat]) -> Provenance | None:
    """Who wrote the lines below a heading such as `==> node-d.log <==` or `--- node1:/var/log/messages ---`."""
    match = _SECTION.match(raw.strip())
    if not match:
        return None
    if match["tail"]:
        return identity_of(match["tail"], paths)
    return NOBODY._replace(host=match["host"]) if match["path"] else None


def choose(formats: Sequence[LineFormat], sample: Sequence[str]) -> tuple[list[LineFormat], str | None]:
    """The formats that apply to a source with such lines, and the name of its outer layout."""
    lines = [line for line in sample if line.strip()]
    chosen: list[LineFormat] = []
    layout: str | None = None
    for form in formats:
        if not form.vote:
            chosen.append(form)
            continue
        hits = [m for m in (_compiled(form.pattern).match(line) for line in lines) if m]
        if _carried(hits, len(lines)) or (form.name == "srun-label" and len(hits) >= 3 and _by_slurm(lines)):
            chosen.insert(0, form)
            layout = form.name
    return chosen, layout


def _by_slurm(lines: Sequence[str]) -> bool:
    return any(line.startswith(("srun: ", "slurmstepd: ")) or ": slurmstepd: " in line[:40] for line in lines)


def _carried(hits: Sequence[re.Match[str]], total: int) -> bool:
    if total < 4 or len(hits) < 0.7 * total:
        return False
    labels = {m.group(0).strip() for m in hits}
    return len(labels) <= max(2, len(hits) // 3)
