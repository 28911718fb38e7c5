"""Logs of JSON records are read as what the records say, at the lines where the records stand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from firstfault.engine import Engine
from firstfault.model import SourceScan
from firstfault.read.json_lines import RECORD, JsonText, layout_of, without_prefix
from firstfault.read.provenance import Prefixes

from .prefixes import formats

TRACEBACK = """\
Traceback (most recent call last):
  File "/workspace/train.py", line 41, in main
    x = batch["label"]
KeyError: 'label'
"""
Record = dict[str, Any]


def log(*records: Record | str) -> bytes:
    return "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records).encode()


def rewritten(data: bytes, *, block: int = 1 << 20) -> tuple[str, JsonText]:
    text = JsonText()
    blocks = [data[i : i + block] for i in range(0, len(data), block)]
    return b"".join(text.rewrite(blocks)).decode(), text


def docker(text: str, stream: str = "stderr") -> Record:
    return {"log": text, "stream": stream, "time": "2026-12-01T10:00:25.1Z"}


def google(text: str) -> Record:
    labels = {"pod_name": "train-0", "container_name": "main"}
    return {"textPayload": text, "severity": "ERROR", "timestamp": "2026-12-01T10:00:25.1Z", "resource": {"labels": labels}}


JOURNAL: Record = {"__REALTIME_TIMESTAMP": "1796119201123456", "_HOSTNAME": "node1"}

# One record as its writer puts it, who that is, and what its (last) line then says of itself.
WRITERS: list[tuple[Record, str, str, dict[str, object]]] = [
    (docker("[rank3]: KeyError: 'label'\n"), "docker-json", "KeyError: 'label'", {"rank": 3}),
    (
        {**docker("boom\n"), "kubernetes": {"pod_name": "train-0", "container_name": "main", "host": "node9"}},
        "docker-json",
        "boom",
        {"host": "node9", "label": "train-0/main"},
    ),
    (
        {**JOURNAL, "_PID": "4242", "SYSLOG_IDENTIFIER": "python", "MESSAGE": "boom"},
        "journald-json",
        "boom",
        {"host": "node1", "pid": 4242, "logger": "python"},
    ),
    ({**JOURNAL, "_TRANSPORT": "kernel", "MESSAGE": "NVRM: Xid"}, "journald-json", "NVRM: Xid", {"host": "node1", "logger": "kernel"}),
    ({**JOURNAL, "MESSAGE": list("caf\u00e9".encode())}, "journald-json", "caf\u00e9", {"host": "node1"}),
    (google("boom"), "google-json", "boom", {"label": "train-0/main", "level": None}),
    (
        {"jsonPayload": {"message": "boom", "level": "error"}, "timestamp": "2026-12-01T10:00:25Z"},
        "google-json",
        "boom",
        {"level": "error"},
    ),
    (
        {"labels": {"pod": "train-1", "container": "main", "node_name": "node4"}, "line": "boom", "timestamp": "1796119200000000000"},
        "json",
        "boom",
        {"host": "node4", "label": "train-1/main"},
    ),
    (
        {"event": "boom", "level": "warning", "timestamp": "2026-12-01T10:00:25Z", "logger": "train", "rank": 2},
        "json",
        "boom",
        {"rank": 2, "level": "warning", "logger": "train"},
    ),
    (
        {"timestamp": "2026-12-01T10:00:25Z", "level": "ERROR", "fields": {"message": "boom"}, "target": "router", "span": {"rank": 1}},
        "json",
        "boom",
        {"rank": 1, "level": "error", "logger": "router"},
    ),
    ({"level": 50, "time": 1796119200123, "msg": "boom", "hostname": "node2", "pid": 77}, "json", "boom", {"host": "node2", "pid": 77}),
    ({"level": "error", "ts": 1796119200.5, "msg": "no answer", "error": "dial tcp: refused"}, "json", "no answer: dial tcp: refused", {}),
    ({"message": "boom", "log.level": "error", "kubernetes": {"pod": {"name": "p"}, "node": {"name": "n"}}}, "json", "boom", {"host": "n"}),
    ({"body": {"stringValue": "boom"}, "timeUnixNano": "1796119200000000000", "severityText": "ERROR"}, "json", "boom", {"level": "error"}),
    ({"timestamp": 1796119200123, "message": "boom", "logStreamName": "job/1"}, "json", "boom", {"label": "job/1"}),
    (
        {"text": "2026-12-01 10:00:25.123 | ERROR    | m:f:1 - boom\n", "record": {"message": "boom", "process": {"id": 7}}},
        "json",
        "boom",
        {"pid": 7, "level": "error"},
    ),
]


@pytest.mark.parametrize(("record", "layout", "text", "who"), WRITERS, ids=[f"{w[1]}-{i}" for i, w in enumerate(WRITERS)])
def test_a_record_becomes_its_message_with_what_its_fields_tell(record: Record, layout: str, text: str, who: dict[str, object]) -> None:
    data = log(record)
    assert layout_of(data) == layout
    plain, _ = rewritten(data)
    line = Prefixes([RECORD, *(f for f in formats() if not f.vote)]).parse(plain.rstrip("\n"))
    assert line.text == text
    assert {name: getattr(line.origin, name) for name in who} == who
    if "message" not in record or "kubernetes" not in record:
        assert line.origin.stamp is not None


@pytest.mark.parametrize("time", ["2026-12-01T10:00:00Z", 1796119200, 1796119200.0, 1796119200000, "1796119200000", 1796119200000000000])
def test_times_of_every_unit_are_the_same_time(time: object) -> None:
    plain, _ = rewritten(log({"message": "x", "time": time}))
    stamp = Prefixes([RECORD]).parse(plain.rstrip("\n")).origin.stamp
    assert stamp is not None
    assert stamp.seconds == 1796119200


NOT_RECORDS = [
    b"step 1\nstep 2\n",
    b'{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 1.9}\n',
    b'{\n  "message": "a pretty-printed file"\n}\n',
    b'step 1\nstep 2\n{"message": "one of many"}\nstep 3\n',
    b'config {"lr": 0.1}\nconfig {"lr": 0.2}\n',
    b"{'loss': 1.0}\n{'loss': 0.9}\n",
    b"{not json}\n",
    b"",
]


@pytest.mark.parametrize("data", NOT_RECORDS)
def test_other_text_is_left_alone(data: bytes) -> None:
    assert layout_of(data) is None


def test_lines_that_are_no_records_stay_as_they_are() -> None:
    plain, text = rewritten(log({"message": "one"}, "Killed", {"message": "two"}))
    assert [without_prefix(line) for line in plain.splitlines()] == ["one", "Killed", "two"]
    assert [text.lines.of(n) for n in (1, 2, 3)] == [1, 2, 3]


def test_all_lines_of_a_record_stand_where_the_record_stands() -> None:
    plain, text = rewritten(log({"message": "one"}, {"message": "a\nb\nc"}, {"message": "two"}, {"message": "d\ne"}, {"message": "three"}))
    assert [without_prefix(line) for line in plain.splitlines()] == ["one", "a", "b", "c", "two", "d", "e", "three"]
    assert [text.lines.of(n) for n in range(1, 9)] == [1, 2, 2, 2, 3, 4, 4, 5]


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 20])
def test_blocks_may_end_anywhere(block: int) -> None:
    data = log({"message": "one"}, {"message": "a\nb"}, {"message": "caf\u00e9"}).rstrip(b"\n")
    assert rewritten(data, block=block)[0] == rewritten(data)[0]


def test_docker_joins_the_pieces_of_a_long_line() -> None:
    pieces = [docker("x" * 16384), docker("y" * 16384), docker(" end\n"), docker("next\n")]
    plain, text = rewritten(log(docker("first\n"), *pieces))
    assert [without_prefix(line) for line in plain.splitlines()] == ["first", "x" * 16384 + "y" * 16384 + " end", "next"]
    assert [text.lines.of(n) for n in (1, 2, 3)] == [1, 2, 5]


def test_a_line_of_the_other_stream_ends_an_unfinished_one() -> None:
    plain, text = rewritten(log(docker("x" * 16384), docker("other\n", "stdout"), docker("next\n")))
    assert [without_prefix(line)[:5] for line in plain.splitlines()] == ["xxxxx", "other", "next"]
    assert [text.lines.of(n) for n in (1, 2, 3)] == [1, 2, 3]


def test_each_redraw_of_a_progress_bar_knows_its_writer() -> None:
    plain, _ = rewritten(log({"message": " 10%\r 20%\rdone", "rank": 5}))
    lines = Prefixes([RECORD]).split(plain.rstrip("\n").encode(), 1)
    assert [(line.text, line.origin.rank) for line in lines] == [(" 10%", 5), (" 20%", 5), ("done", 5)]


def test_what_stands_before_a_record_is_kept() -> None:
    data = log("[pod/train-0/main] " + json.dumps({"level": "error", "msg": "boom"}))
    assert layout_of(data) == "json"
    assert rewritten(data)[0] == "[pod/train-0/main] boom\n"


# --- through the whole stage ------------------------------------------------------------------------------------------


def fault(engine: Engine, data: bytes, name: str = "run.json") -> tuple[SourceScan, Any]:
    """The scan, and the one KeyError in it."""
    scan = engine.scan_blocks(iter([data]), name)
    (found,) = [f for f in scan.findings if f.signature == "python/key-error"]
    return scan, found


@pytest.mark.parametrize(
    "record",
    [
        {"event": "training failed", "level": "error", "timestamp": "2026-12-01T10:00:25Z", "rank": 1, "exception": TRACEBACK},
        {"message": "training failed\n" + TRACEBACK, "level": "ERROR", "time": 1796119225, "rank": 1},
        {"log": json.dumps({"msg": "failed", "exc_info": TRACEBACK, "rank": 1}) + "\n", "stream": "stderr", "time": "2026-12-01T10:00:25Z"},
        {
            "event": "failed",
            "rank": 1,
            "exception": [{"exc_type": "KeyError", "exc_value": "'label'", "frames": [{"filename": "train.py", "lineno": 4, "name": "f"}]}],
        },
    ],
    ids=["structlog", "in the message", "JSON in docker's JSON", "taken apart"],
)
def test_a_traceback_inside_a_record_is_found_at_its_line(engine: Engine, record: Record) -> None:
    steps: list[Record] = [{"message": f"step {i}", "rank": i % 2} for i in range(20)]
    scan, found = fault(engine, log(*steps, record, {"message": "bye"}))
    assert (found.line, found.end_line, found.origin.rank) == (21, 21, 1)
    assert found.raised.frames
    assert found.block.raised[-1] == found.raised
    assert {found.raised.start_line, found.raised.line, found.block.start_line, found.block.end_line} == {21}
    assert scan.info.lines == 22


def test_a_traceback_over_many_records_is_one(engine: Engine) -> None:
    records = [docker(f"step {i}\n", "stdout") for i in range(8)] + [docker(line + "\n") for line in TRACEBACK.splitlines()]
    scan, found = fault(engine, log(*records))
    assert (found.line, found.block.start_line, found.block.end_line) == (12, 9, 12)
    assert scan.info.layout == "docker-json"


def test_quotes_that_JSON_escapes_hide_nothing(engine: Engine) -> None:  # noqa: N802
    message = 'Failed to load model: {"error": "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79 GiB"}'
    scan = engine.scan_text(json.dumps({"level": "error", "message": message}) + "\n")
    assert "memory/cuda-out-of-memory" in {f.signature for f in scan.findings}


def test_the_last_ordinary_line_of_each_rank_is_known(engine: Engine) -> None:
    scan = engine.scan_blocks(iter([log(*({"message": f"step {i}", "rank": i % 2} for i in range(20)))]), "run.json")
    assert {p.origin.rank: (p.step, p.line) for p in scan.progress} == {0: (18, 19), 1: (19, 20)}


VALUES: list[object] = [
    None, True, -1, 3, 10**30, float("inf"), "", "\u00b2", "-", "\x01\x02\x03", "a\nb\r", [], [None, 3, "x"],
    {}, {"name": 3}, {"message": 3},
]  # fmt: skip
KEYS = ["message", "log", "stream", "time", "level", "logger", "rank", "local_rank", "pid", "host", "kubernetes", "labels", "exception",
        "exc_info", "MESSAGE", "_HOSTNAME", "__REALTIME_TIMESTAMP", "_PID", "jsonPayload", "textPayload", "resource", "fields", "extraInfo",
        "record", "text", "body", "error", "span"]  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_no_value_of_any_field_is_an_error(engine: Engine, key: str) -> None:
    records: list[Record] = [{**base, key: value} for value in VALUES for base in ({"message": "KeyError: 'label'"}, docker("step 3\n"))]
    scan = engine.scan_blocks(iter([log(*records)]), "run.json")
    assert scan.info.lines == len(records)


# --- error files of torchrun ------------------------------------------------------------------------------------------

ERROR_FILES: list[Record] = [
    {"message": {"message": "KeyError: 'label'", "extraInfo": {"py_callstack": TRACEBACK, "timestamp": "1796119200"}}},
    {"message": {"message": "KeyError: 'label'", "extraInfo": {"py_callstack": TRACEBACK, "timestamp": "1796119200"}, "errorCode": 1}},
    {"message": "KeyError: 'label'", "extraInfo": {"py_callstack": TRACEBACK, "timestamp": "1796119200"}},
]


@pytest.mark.parametrize("record", ERROR_FILES)
def test_an_error_file_is_the_traceback_of_its_local_rank(engine: Engine, record: Record) -> None:
    data = json.dumps(record).encode()
    scan = engine.scan_blocks(iter([data]), "logs/none_x1/attempt_0/3/error.json", "logs")
    (found,) = [f for f in scan.findings if f.signature == "python/key-error"]
    assert found.raised is not None
    assert (found.line, found.origin.local_rank, found.origin.attempt) == (1, 3, 0)
    assert found.origin.stamp is not None
    assert found.origin.stamp.seconds == 1796119200
    assert (found.raised.frames[-1].file, found.raised.frames[-1].line) == ("/workspace/train.py", 41)
    assert scan.info.layout == "torchrun-error-file"


def test_an_error_file_without_a_stack_still_names_the_exception(engine: Engine) -> None:
    scan = engine.scan_text(json.dumps({"message": {"message": "KeyError: 'label'", "errorCode": 1}}))
    assert [(f.signature, f.line) for f in scan.findings if f.scope != "structure"] == [("python/key-error", 1)]
