"""What one JSON record of a log says, and who says it: container engines, journald, log collectors, structured loggers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple, cast

Record = Mapping[str, object]

_TIMES = ("timestamp", "time", "ts", "@timestamp", "asctime", "datetime", "timeUnixNano", "observedTimeUnixNano", "receiveTimestamp")
_LEVELS = ("level", "severity", "levelname", "log.level", "severityText", "lvl")
_MESSAGES = ("message", "msg", "event", "line", "log", "textPayload", "body", "MESSAGE")
_LOGGERS = ("logger", "target", "logger_name", "name", "log.logger")
_HOSTS = ("host", "hostname", "node", "node_name", "pod_node_name", "nodename", "instance")
_PIDS = ("pid", "process", "process_id", "process.pid")
_PODS = ("pod_name", "pod", "k8s.pod.name")
_CONTAINERS = ("container_name", "container", "k8s.container.name")
_LABELS = ("logStreamName", "logStream", "task_name", "service", "service.name")
_PLACES = frozenset((*_HOSTS, *_PODS, *_CONTAINERS, *_LABELS))
_TRACES = ("exception", "exc_info", "traceback", "stack_trace", "stacktrace", "error.stack_trace", "stack")
_RANKS = (("rank", ("rank", "global_rank", "RANK")), ("local_rank", ("local_rank", "LOCAL_RANK")))
_CONTEXTS = ("fields", "extra", "context", "labels", "stream", "kubernetes", "attributes", "span", "resource")
"""Keys below which records keep what else they know."""
_NUMBERED = {10: "debug", 20: "debug", 30: "info", 40: "warning", 50: "error", 60: "fatal"}
"""Levels of pino and bunyan; those of Python's logging are told by their names."""
_FATAL = {"panic", "dpanic", "emerg", "emergency", "alert", "severe"}
_SMALLEST_EPOCHS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3), (1e8, 1.0))
"""From which size on a number is nanoseconds, microseconds, milliseconds, seconds since 1970."""
_DEEPEST = 3
_LONGEST_NUMBER = 9
_DOCKER_PIECE = 16_000
"""Docker cuts lines at 16 KiB; a shorter text without a line feed is the end of a stream."""


class Said(NamedTuple):
    """The text of a record with what its fields tell; the names are those of the captures of a line format."""

    text: str
    fields: Mapping[str, str]
    layout: str
    stream: str = ""
    unfinished: bool = False
    """The next record of the stream goes on with the same line."""


def said_by(record: object, depth: int = 0) -> Said | None:
    """What a record says, or None when it holds no message."""
    if not isinstance(record, dict):
        return None
    known = cast("Record", record)
    said = _journald(known) or _docker(known) or _google(known) or _loguru(known) or _error_file(known) or _structured(known)
    if said is None or depth >= _DEEPEST or said.unfinished:
        return said
    inner = _inner(said.text, depth)
    return said if inner is None else inner._replace(fields={**said.fields, **inner.fields}, layout=said.layout)


def _inner(text: str, depth: int) -> Said | None:
    """The record that a collector was handed as a text."""
    bare = text.strip()
    if not (bare.startswith("{") and bare.endswith("}")):
        return None
    try:
        return said_by(json.loads(bare), depth + 1)
    except (ValueError, RecursionError):
        return None


# --- forms ------------------------------------------------------------------------------------------------------------


def _journald(record: Record) -> Said | None:
    if "__REALTIME_TIMESTAMP" not in record and "_HOSTNAME" not in record and "SYSLOG_IDENTIFIER" not in record:
        return None
    message = record.get("MESSAGE")
    if isinstance(message, list):
        numbers = cast("list[object]", message)
        if not all(isinstance(b, int) and 0 <= b < 256 for b in numbers):
            return None
        message = bytes(cast("list[int]", numbers)).decode("utf-8", "replace")
    if not isinstance(message, str):
        return None
    fields = _fields(record.get("__REALTIME_TIMESTAMP") or record.get("_SOURCE_REALTIME_TIMESTAMP"))
    logger = "kernel" if record.get("_TRANSPORT") == "kernel" else record.get("SYSLOG_IDENTIFIER")
    _put(fields, host=record.get("_HOSTNAME"), pid=record.get("_PID") or record.get("SYSLOG_PID"), logger=logger)
    return Said(message, fields, "journald-json")


def _docker(record: Record) -> Said | None:
    text, stream = record.get("log"), record.get("stream")
    if not isinstance(text, str) or not (isinstance(stream, str) or "time" in record):
        return None
    fields = _fields(record.get("time") or record.get("timestamp"))
    _place(fields, record)
    unfinished = not text.endswith("\n") and len(text) >= _DOCKER_PIECE
    return Said(text, fields, "docker-json", str(stream or "stdout"), unfinished)


def _google(record: Record) -> Said | None:
    payload = record.get("jsonPayload")
    inner = cast("Record", payload) if isinstance(payload, dict) else None
    text = record.get("textPayload")
    said = _structured(inner) if inner is not None else None
    if said is None and not isinstance(text, str):
        return None
    # The severity of a text is the collector's: all that comes from standard error is ERROR.
    fields = _fields(record.get("timestamp") or record.get("receiveTimestamp"))
    resource = record.get("resource")
    labels = cast("Record", resource).get("labels") if isinstance(resource, dict) else None
    if isinstance(labels, dict):
        _place(fields, cast("Record", labels))
    own = record.get("labels")
    if isinstance(own, dict):
        _put(fields, host=cast("Record", own).get("compute.googleapis.com/resource_name"))
    if said is None:
        return Said(str(text), fields, "google-json")
    return Said(said.text, {**fields, **said.fields}, "google-json")


def _loguru(record: Record) -> Said | None:
    text, inner = record.get("text"), record.get("record")
    if not isinstance(text, str) or not isinstance(inner, dict) or "message" not in inner:
        return None
    known = cast("Record", inner)
    fields: dict[str, str] = {}
    process, extra = known.get("process"), known.get("extra")
    if isinstance(process, dict):
        _put(fields, pid=cast("Record", process).get("id"))
    if isinstance(extra, dict):
        _ranks(fields, cast("Record", extra))
    return Said(text, fields, "json")


def _error_file(record: Record) -> Said | None:
    """What torchelastic's `record` decorator leaves behind of the exception that ended a process."""
    message = record.get("message")
    inner = cast("Record", message) if isinstance(message, dict) else record
    extra = inner.get("extraInfo")
    if not isinstance(extra, dict) and not (inner is not record and "message" in inner):
        return None
    text = inner.get("message")
    known: Record = cast("Record", extra) if isinstance(extra, dict) else inner
    stack = known.get("py_callstack")
    fields = _fields(known.get("timestamp") or record.get("timestamp"))
    if isinstance(stack, str) and stack.strip():
        return Said(stack, fields, "torchrun-error-file")
    return Said(text, fields, "torchrun-error-file") if isinstance(text, str) else None


def _structured(record: Record) -> Said | None:
    text = next((t for key in _MESSAGES if (t := _text(record.get(key))) is not None), None)
    contexts = [cast("Record", c) for key in _CONTEXTS if isinstance(c := record.get(key), dict)]
    if text is None:
        text = next((t for c in contexts for key in ("message", "msg") if (t := _text(c.get(key))) is not None), None)
    if text is None:
        return None
    fields = _fields(next((record[key] for key in _TIMES if record.get(key)), None))
    error = record.get("error") or record.get("err")
    if isinstance(error, str) and error and "\n" not in error and error not in text:
        text = f"{text}: {error}"
    log = record.get("log")
    known = [record, *contexts, *([cast("Record", log)] if isinstance(log, dict) else [])]
    _put(fields, level=_level(_first(known, _LEVELS)), logger=_first(known[:1], _LOGGERS), pid=_first(known, _PIDS))
    for source in known:
        _place(fields, source)
        _ranks(fields, source)
    trace = next((t for source in known for key in _TRACES if (t := _trace(source.get(key)))), None)
    if trace and trace.strip() not in text:
        text = f"{text}\n{trace}"
    return Said(text, fields, "json")


# --- values -----------------------------------------------------------------------------------------------------------


def _text(value: object) -> str | None:
    if isinstance(value, dict):
        value = cast("Record", value).get("stringValue")
    return value if isinstance(value, str) and value else None


def _fields(time: object) -> dict[str, str]:
    """The time of a record, as `iso` or `epoch`."""
    text = str(time).strip() if isinstance(time, str | int | float) and not isinstance(time, bool) else ""
    if len(text) >= 19 and text[:4].isdigit() and text[4] in "-/":
        return {"iso": text}
    try:
        number = float(text)
    except ValueError:
        return {}
    unit = next((unit for least, unit in _SMALLEST_EPOCHS if number >= least), None)
    return {"epoch": f"{number / unit:.6f}"} if unit else {}


def _level(value: object) -> str | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return _NUMBERED.get(value)
    if not isinstance(value, str):
        return None
    return "fatal" if value.lower() in _FATAL else value


def _first(sources: Iterable[Record], names: tuple[str, ...]) -> object:
    return next((source[name] for source in sources for name in names if isinstance(source.get(name), str | int)), None)


def _put(fields: dict[str, str], **values: object) -> None:
    for name, value in values.items():
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "" and name not in fields:
            fields[name] = str(value)
    if _number(fields.get("pid", "0")) is None:
        del fields["pid"]


def _place(fields: dict[str, str], record: Record) -> None:
    """Pod, container and node, wherever collectors put them."""
    inner = record.get("kubernetes")
    if isinstance(inner, dict):
        _place(fields, cast("Record", inner))
    if record.keys().isdisjoint(_PLACES):
        return
    pod, container = _name(record, _PODS), _name(record, _CONTAINERS)
    label = "/".join(part for part in (pod, container) if part) or _name(record, _LABELS)
    _put(fields, host=_name(record, _HOSTS), label=label)


def _name(record: Record, keys: tuple[str, ...]) -> str | None:
    if record.keys().isdisjoint(keys):
        return None
    for key in keys:
        value = record.get(key)
        if isinstance(value, dict):
            value = cast("Record", value).get("name")
        if isinstance(value, str) and value:
            return value
    return None


def _ranks(fields: dict[str, str], record: Record) -> None:
    for name, keys in _RANKS:
        for key in () if record.keys().isdisjoint(keys) else keys:
            value = _number(record.get(key))
            if value is not None:
                fields.setdefault(name, value)


def _number(value: object) -> str | None:
    """A whole number of plausible size, as digits."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER else None


def _trace(value: object) -> str | None:
    if isinstance(value, str):
        return value or None
    if isinstance(value, list):
        parts = [_exception(cast("Record", e)) for e in cast("list[object]", value) if isinstance(e, dict) and "exc_type" in e]
        return "\n".join(reversed(parts)) or None
    return None


def _exception(record: Record) -> str:
    """An exception that structlog took apart, as Python prints it."""
    lines = ["Traceback (most recent call last):"]
    frames = record.get("frames")
    for frame in cast("list[object]", frames) if isinstance(frames, list) else []:
        if isinstance(frame, dict):
            known = cast("Record", frame)
            lines.append(f'  File "{known.get("filename")}", line {known.get("lineno")}, in {known.get("name")}')
    lines.append(f"{record['exc_type']}: {record.get('exc_value', '')}")
    return "\n".join(lines)
