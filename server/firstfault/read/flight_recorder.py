"""Reads flight-recorder dumps of PyTorch, pickled or as JSON, without ever running what a pickle asks for."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import NoReturn, cast

from firstfault.errors import UnreadableInputError
from firstfault.flight import Collective, FlightRecord, GroupFlight
from firstfault.model import Frame
from firstfault.moments import LATEST

LARGEST = 512 * 1024 * 1024
"""Bytes of a dump that are read."""
_PICKLE = b"\x80"
_KEYS = (b"entries", b"pg_config", b"pg_status", b"collective_seq_id", b"comm_lib_version", b"nccl_version", b"nccl_comm_state")
_LONGEST_NUMBER = 20
_KEPT = 64
"""Collectives of one group that are kept; only the last ones tell who waits for whom."""
_LIBRARY = ("/site-packages/", "/dist-packages/", "/torch/distributed/", "/torch/_", "<frozen", "/lib/python3")

Values = Mapping[str, object]
_NOTHING: Values = {}


class _Plain(pickle.Unpickler):
    """Dicts, lists, tuples and scalars only: a dump needs no class and no function."""

    def find_class(self, module_name: str, global_name: str, /) -> NoReturn:
        """Refuses, whatever it is."""
        raise pickle.UnpicklingError(f"it asks for {module_name}.{global_name}")

    def persistent_load(self, pid: object) -> NoReturn:
        """Refuses, whatever it is."""
        raise pickle.UnpicklingError("it refers to objects outside")


def is_dump(head: bytes) -> bool:
    """Whether a stream that begins so is the dump of a flight recorder."""
    if head.startswith(_PICKLE):
        return any(key in head[:65536] for key in _KEYS)
    start = head[:65536].lstrip()
    return start.startswith(b"{") and b'"entries"' in start and any(b'"%s"' % key in start for key in _KEYS[1:4])


def parse(data: bytes, *, name: str = "<dump>") -> FlightRecord:
    """What a dump says; raises UnreadableInputError when it is none, is broken, or asks for more than plain data."""
    try:
        dump: object = _Plain(BytesIO(data)).load() if data.startswith(_PICKLE) else json.loads(data)
    except pickle.UnpicklingError as error:
        raise UnreadableInputError(f"{name}: refused to read this pickle as a flight-recorder dump: {error}") from error
    except (ValueError, EOFError, IndexError, KeyError, AttributeError, TypeError, MemoryError, OverflowError, RecursionError) as error:
        raise UnreadableInputError(f"{name}: this flight-recorder dump is broken or cut short") from error
    if not isinstance(dump, dict) or not isinstance(cast("Values", dump).get("entries", []), list | tuple):
        raise UnreadableInputError(f"{name}: this is no flight-recorder dump")
    known = cast("Values", dump)
    return FlightRecord(version=str(known.get("version", "")), groups=tuple(_groups(known)), source=name)


def _groups(dump: Values) -> list[GroupFlight]:
    status, config = _dict(dump.get("pg_status")), _dict(dump.get("pg_config"))
    descriptions: dict[str, str] = {}
    collectives: dict[str, list[Collective]] = {}
    for entry in _dicts(dump.get("entries")):
        group, description = _group_of(entry)
        if description:
            descriptions.setdefault(group, description)
        if not entry.get("is_p2p"):
            done = _count(_dict(status.get(group)), "last_completed_collective")
            collectives.setdefault(group, []).append(_collective(entry, done))
    names = list(dict.fromkeys([*collectives, *map(str, status)]))
    return [_group(n, descriptions.get(n, ""), collectives.get(n, []), _dict(status.get(n)), config, alone=len(names) == 1) for n in names]


def _group(name: str, description: str, collectives: list[Collective], status: Values, config: Values, *, alone: bool) -> GroupFlight:
    own = _dict(config.get(name)) or _alike(config, description, alone=alone)
    collectives = _last_attempts(collectives)
    enqueued = _count(status, "last_enqueued_collective")
    return GroupFlight(
        name=name,
        description=description or str(own.get("desc") or ""),
        members=tuple(_ranks(own.get("ranks"))),
        enqueued=enqueued if enqueued is not None else max((c.seq for c in collectives), default=None),
        collectives=tuple(collectives[-_KEPT:]),
    )


def _alike(config: Values, description: str, *, alone: bool) -> Values:
    """The configuration of a group that stands under another name: Gloo's default group has an empty one."""
    known = [_dict(c) for c in config.values()]
    alike = [c for c in known if description and c.get("desc") == description]
    return alike[0] if len(alike) == 1 else known[0] if alone and len(known) == 1 else _NOTHING


def _last_attempts(collectives: Iterable[Collective]) -> list[Collective]:
    """One entry for each sequence number: a coalesced collective has several, of which the last is the whole."""
    by_seq: dict[int, Collective] = {}
    for item in collectives:
        by_seq[item.seq] = item
    return sorted(by_seq.values())


def _group_of(entry: Values) -> tuple[str, str]:
    group = entry.get("process_group")
    if isinstance(group, list | tuple):
        parts = [str(p) for p in cast("list[object]", group)]
        if parts:
            description = parts[1] if len(parts) > 1 and parts[1] != "undefined" else ""
            return parts[0], description
    return str(entry.get("pg_id", "")), ""


def _collective(entry: Values, last_completed: int | None) -> Collective:
    seq = _int(entry.get("collective_seq_id", entry.get("seq_id"))) or 0
    name, state = str(entry.get("profiling_name", "")), str(entry.get("state", ""))
    return Collective(
        seq=seq,
        op=name.partition(":")[2] or name,
        done=state == "completed" or bool(entry.get("retired")) or (last_completed is not None and seq <= last_completed),
        state=state,
        sizes=_sizes(entry.get("input_sizes")),
        dtypes=tuple(map(str, _list(entry.get("input_dtypes")))),
        frame=_own_frame(_dicts(entry.get("frames"))),
        created=_moment(entry.get("time_created_ns")),
        ended=_moment(entry.get("time_discovered_completed_ns")),
    )


def _own_frame(frames: Iterable[Values]) -> Frame | None:
    """The innermost frame outside of libraries, or the innermost of all."""
    known = [Frame(str(f.get("filename", "")), _int(f.get("line")), str(f.get("name", ""))) for f in frames]
    own = next((f for f in known if not any(part in f.file for part in _LIBRARY)), None)
    return own or (known[0] if known else None)


# --- values -----------------------------------------------------------------------------------------------------------


def _count(status: Values, name: str) -> int | None:
    value = _int(status.get(name))
    return value if value is not None and value >= 0 else None


def _int(value: object) -> int | None:
    if isinstance(value, str):
        digits = value.removeprefix("-")
        return int(value) if digits.isascii() and digits.isdigit() and len(digits) < _LONGEST_NUMBER else None
    return value if isinstance(value, int) else None


def _moment(nanoseconds: object) -> float | None:
    """Seconds since 1970, or None for what is no time of our days."""
    if not isinstance(nanoseconds, int | float) or not 0 < nanoseconds < LATEST * 1e9:
        return None
    return nanoseconds / 1e9


def _dict(value: object) -> Values:
    return {str(k): v for k, v in cast("Mapping[object, object]", value).items()} if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return list(cast("list[object]", value)) if isinstance(value, list | tuple) else []


def _dicts(value: object) -> list[Values]:
    return [cast("Values", v) for v in _list(value) if isinstance(v, dict)]


def _sizes(value: object) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(n for n in _list(size) if isinstance(n, int)) for size in _list(value))


def _ranks(value: object) -> list[int]:
    """Ranks of a group, which the recorder writes as the text of a list."""
    if isinstance(value, str):
        value = [int(part) for part in value.strip("[] ").split(",") if part.strip().isascii() and part.strip().isdigit()]
    return [n for n in _list(value) if isinstance(n, int)]
