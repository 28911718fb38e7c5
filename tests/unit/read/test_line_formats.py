"""Prefixes of log lines: every row of the table by its own example, and the forms that real runs nest."""

from __future__ import annotations

import re
from typing import Any

import pytest

from firstfault.read.provenance import PathFormat, Prefixes, choose, identity_of, section_of

from .prefixes import formats, parse, rows

Row = dict[str, Any]


def _names(part: str) -> list[Any]:
    return [pytest.param(row, id=row["name"]) for row in rows(part)]


@pytest.mark.parametrize("row", _names("formats"))
def test_each_form_takes_its_example_apart(row: Row) -> None:
    match = re.match(row["pattern"], row["example"])
    assert match is not None
    given = match.groupdict()
    assert {name: given[name] for name in row["gives"]} == row["gives"]


@pytest.mark.parametrize("row", _names("formats"))
def test_each_form_is_tried_on_the_first_character_of_its_example(row: Row) -> None:
    (form,) = [f for f in formats() if f.name == row["name"]]
    assert form.may_start(row["example"][0])


@pytest.mark.parametrize("row", _names("paths"))
def test_each_path_form_takes_its_example_apart(row: Row) -> None:
    match = re.search(row["pattern"], row["example"])
    assert match is not None
    assert {k: v for k, v in match.groupdict().items() if v is not None} == row["gives"]


def test_names_of_forms_are_unique() -> None:
    for part in ("formats", "paths"):
        names = [row["name"] for row in rows(part)]
        assert len(names) == len(set(names))


# One line each as printed, what is left of it, and what its prefixes tell.
SEEN: list[tuple[str, str, dict[str, object]]] = [
    # torch
    ("[rank3]: Traceback (most recent call last):", "Traceback (most recent call last):", {"rank": 3}),
    ('[rank3]:   File "x.py", line 7, in <module>', '  File "x.py", line 7, in <module>', {"rank": 3}),
    (
        "[rank1]:[E1201 02:27:17.318747202 ProcessGroupGloo.cpp:2901] [Rank 0]: Rank 1 failed",
        "[Rank 0]: Rank 1 failed",
        {"rank": 1, "level": "error"},
    ),
    ("[rank7]:[E703 15:37:17.178057290 ProcessGroupNCCL.cpp:1922] text", "text", {"rank": 7, "logger": "ProcessGroupNCCL.cpp:1922"}),
    ("[E ProcessGroupNCCL.cpp:828] [Rank 1] Watchdog caught", "[Rank 1] Watchdog caught", {"rank": 1, "level": "error"}),
    ("[W socket.cpp:601] [c10d] text", "[c10d] text", {"level": "warning"}),
    ("[rank1]:[E ProcessGroupNCCL.cpp:523] text", "text", {"rank": 1}),
    (
        "[W1201 02:33:51.517894749 TCPStore.cpp:138] [c10d] recvValueWithTimeout failed",
        "[c10d] recvValueWithTimeout failed",
        {"level": "warning"},
    ),
    ("E1201 10:00:00.123456 4242 ProcessGroupNCCL.cpp:828] text", "text", {"level": "error", "pid": 4242}),
    (
        "W0801 13:23:17.366000 140012345678 torch/distributed/elastic/multiprocessing/api.py:900] text",
        "text",
        {"level": "warning", "pid": None},
    ),
    ("W1201 02:24:58.874000 11178 torch/distributed/elastic/multiprocessing/api.py:1028] text", "text", {"pid": 11178}),
    ("[rank0]:W1201 02:24:57.442000 11572 fail.py:6] msg", "msg", {"rank": 0, "pid": 11572, "level": "warning"}),
    (
        "[2024-05-08 08:47:31,261] torch.distributed.elastic.multiprocessing.api: [WARNING] Sending process 5938",
        "Sending process 5938",
        {"level": "warning"},
    ),
    ("WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 1", "Sending process 1", {"level": "warning"}),
    ("ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9)", "failed (exitcode: -9)", {"level": "error"}),
    (
        "[E1201 10:00:00.123456789 ProcessGroupNCCL.cpp:629] [PG ID 0 PG GUID 0(default_pg) Rank 3] x",
        "[PG ID 0 PG GUID 0(default_pg) Rank 3] x",
        {"rank": 3},
    ),
    ("[PG 0 (default_pg) Rank 3] x", "[PG 0 (default_pg) Rank 3] x", {"rank": 3}),
    ("[rank5]: [PG ID 2 PG GUID 3 Rank 1] x", "[PG ID 2 PG GUID 3 Rank 1] x", {"rank": 5}),
    ("[default1]:[rank1]: ValueError: bad batch", "ValueError: bad batch", {"rank": 1, "local_rank": 1, "label": "default"}),
    ("[trainer0]:hello", "hello", {"local_rank": 0, "label": "trainer"}),
    # NCCL
    (
        "node1:12345:12399 [3] NCCL INFO Bootstrap: Using eth0",
        "NCCL INFO Bootstrap: Using eth0",
        {"host": "node1", "pid": 12345, "rank": None},
    ),
    (
        "[2026-12-01 02:24:58] node1:12345:12399 [3] misc/socket.cc:58 NCCL WARN x",
        "misc/socket.cc:58 NCCL WARN x",
        {"host": "node1", "pid": 12345},
    ),
    (
        "node1:12345:12399 [3] misc/socket.cc:58 (ncclSocketTry) NCCL WARN x",
        "misc/socket.cc:58 (ncclSocketTry) NCCL WARN x",
        {"pid": 12345},
    ),
    ("node1:12345:12399 NCCL CALL ncclAllReduce", "NCCL CALL ncclAllReduce", {"pid": 12345}),
    ("node1:12345:12399 [0] 1234.567 ncclGroupEnd:12 NCCL TRACE x", "1234.567 ncclGroupEnd:12 NCCL TRACE x", {"pid": 12345}),
    ("NCCL version 2.21.5+cuda12.4", "NCCL version 2.21.5+cuda12.4", {}),
    # launchers and frameworks
    ("[1,3]<stderr>:text", "text", {"task": 3}),
    ("[1,3]<stddiag>: text", "text", {"task": 3}),
    ("Thu Jun 18 14:28:35 2020[1,0]<stderr>:text", "text", {"task": 0}),
    (
        "[2026-12-01 02:24:58,123] [INFO] [launch.py:335:sigkill_handler] Killing subprocess 1234",
        "Killing subprocess 1234",
        {"level": "info"},
    ),
    ("[rank: 3] Seed set to 42", "Seed set to 42", {"rank": 3}),
    (" [2026-12-01 02:24:58.123456] iteration      100/  500000 | x", "iteration      100/  500000 | x", {}),
    ("[NeMo I 2026-12-01 02:24:58 module:123] msg", "msg", {"level": "info"}),
    ("[NeMo W 2026-12-01 02:24:58 module:123 rank:3] msg", "msg", {"level": "warning", "rank": 3}),
    ("[INFO|trainer.py:123] 2026-12-01 02:24:58,123 >> msg", "msg", {"level": "info"}),
    ("(RayTrainWorker pid=4242, ip=10.0.0.2) text", "text", {"label": "RayTrainWorker", "pid": 4242, "host": "10.0.0.2"}),
    ("(MyActor pid=4242) text", "text", {"label": "MyActor", "pid": 4242}),
    ("\x1b[36m(MyActor pid=4242)\x1b[0m text", "text", {"label": "MyActor", "pid": 4242}),
    ("(raylet, ip=10.0.0.2) text", "text", {"label": "raylet", "host": "10.0.0.2"}),
    ("(raylet) text", "text", {"label": "raylet"}),
    ("(autoscaler +12s) text", "text", {"label": "autoscaler +12s"}),
    (
        "[2026-12-01 02:24:58,123 E 4242 4300] (raylet) node_manager.cc:3069: text",
        "text",
        {"label": "raylet", "pid": 4242, "level": "error", "logger": "node_manager.cc:3069"},
    ),
    # inference servers
    ("INFO 12-01 02:24:58 [core.py:58] msg", "msg", {"level": "info"}),
    ("ERROR 12-01 02:24:58 core.py:58] msg", "msg", {"level": "error"}),
    ("(VllmWorker rank=1 pid=4242) ERROR 12-01 02:24:58 [core.py:58] msg", "msg", {"rank": 1, "pid": 4242, "level": "error"}),
    ("(VllmWorkerProcess pid=4242) text", "text", {"pid": 4242}),
    ("(EngineCore_DP0 pid=4242) text", "text", {"label": "EngineCore_DP0", "pid": 4242}),
    ("(Worker_DP0_PP0_TP1_EP1 pid=4242) text", "text", {"pid": 4242, "rank": None}),
    ("(VllmWorker TP1 pid=4242) text", "text", {"rank": 1, "pid": 4242}),
    ("\x1b[1;36m(EngineCore_0 pid=4242)\x1b[0;0m text", "text", {"pid": 4242}),
    ("(EngineCore pid=4242) INFO 12-01 02:24:58 [core.py:12] msg", "msg", {"pid": 4242, "level": "info"}),
    (
        'INFO:     127.0.0.1:1234 - "POST /v1/completions HTTP/1.1" 500',
        '127.0.0.1:1234 - "POST /v1/completions HTTP/1.1" 500',
        {"level": "info"},
    ),
    ("[2026-12-01 02:24:58 TP3] msg", "msg", {"rank": 3, "label": "TP3"}),
    ("[2026-12-01 02:24:58 DP1 PP0 TP3 EP3] msg", "msg", {"rank": None, "label": "DP1 PP0 TP3 EP3"}),
    ("[2026-12-01 02:24:58.123 TP3] msg", "msg", {"rank": 3}),
    ("2026-12-01T02:24:58.123456Z ERROR text_generation_launcher: msg", "text_generation_launcher: msg", {"level": "error"}),
    ("[12/01/2026-02:24:58] [TRT-LLM] [E] msg", "msg", {"level": "error", "logger": "TRT-LLM"}),
    ("[12/01/2026-02:24:58] [TRT] [E] msg", "msg", {"level": "error"}),
    ("[TensorRT-LLM][ERROR] msg", "msg", {"level": "error"}),
    ('E1201 02:24:58.123456 4242 model_lifecycle.cc:638] "failed to load"', '"failed to load"', {"level": "error", "pid": 4242}),
    ("2026-12-01T02:24:58Z E 4242 model_lifecycle.cc:638] text", "text", {"level": "error", "pid": 4242}),
    ("(ServeReplica:app:dep pid=4242) ERROR 2026-12-01 02:24:58,123 text", "text", {"level": "error", "pid": 4242}),
    # JAX, XLA, absl
    ("2026-12-01 02:24:58.123456: E external/xla/cuda_driver.cc:273] failed call", "failed call", {"level": "error"}),
    ("E0000 00:00:1764556097.123456    4242 file.cc:40] msg", "msg", {"level": "error", "pid": 4242}),
    ("E1201 02:24:58.123456 140123456789 file.py:12] msg", "msg", {"level": "error", "pid": None}),
    ("WARNING:2026-12-01 02:24:58,123:jax._src.xla_bridge:794: msg", "msg", {"level": "warning", "logger": "jax._src.xla_bridge"}),
    ("INFO:jax._src.xla_bridge:msg", "msg", {"level": "info"}),
    # containers, cluster, system
    ("[pod/train-0/main] text", "text", {"label": "train-0/main"}),
    ("2026-12-01T02:24:58.123456789Z text", "text", {}),
    ("2026-12-01T02:24:58.123456789Z stderr F text", "text", {}),
    ("2026-12-01T02:24:58.1234567Z text", "text", {}),
    ("Dec 01 02:24:58 node1 kernel: text", "text", {"host": "node1", "logger": "kernel"}),
    ("Dec 01 02:24:58.123456 node1 kernel: text", "text", {"host": "node1"}),
    ("Dec  1 02:24:58 node1 slurmd[123]: text", "text", {"host": "node1", "pid": 123}),
    ("2026-12-01T02:24:58+0000 node1 kernel: text", "text", {"host": "node1"}),
    ("[12345.678901] node1 kernel: text", "text", {"host": "node1", "logger": "kernel"}),
    ("<13>Dec  1 02:24:58 node1 tag[12]: text", "text", {"host": "node1", "pid": 12}),
    ("<13>1 2026-12-01T02:24:58.123Z node1 app 4242 ID47 - text", "text", {"host": "node1", "pid": 4242, "logger": "app"}),
    ('<13>1 2026-12-01T02:24:58.123Z node1 app - - [a@1 b="c"] text', "text", {"host": "node1"}),
    ("2026-12-01T02:24:58.123456+00:00 node1 kernel: [12345.678901] NVRM: Xid", "NVRM: Xid", {"host": "node1"}),
    ("[12345.678901] NVRM: Xid", "NVRM: Xid", {}),
    ("[    5.678901] NVRM: Xid", "NVRM: Xid", {}),
    ("[   12.345678] usb 1-1: new device", "usb 1-1: new device", {"host": None}),
    ("[   12.345678] CPU 3: Machine Check", "CPU 3: Machine Check", {"host": None}),
    ("[Tue Dec  1 02:24:58 2026] NVRM: Xid", "NVRM: Xid", {}),
    ("2026-12-01T02:24:58,678901+00:00 NVRM: Xid", "NVRM: Xid", {}),
    ("kern  :err   : [12345.678901] text", "text", {"level": "error"}),
    ("Tue 2026-12-01 02:24:58 UTC node1 kernel: text", "text", {"host": "node1", "logger": "kernel"}),
    ("1796091898.123456 node1 app[42]: text", "text", {"host": "node1", "pid": 42}),
    # plain loggers
    ("1796091898123 ERROR text", "text", {"level": "error"}),
    ("[1796091898.123] text", "text", {}),
    ("2026-12-01 02:24:58 PST ERROR text", "text", {"level": "error"}),
    ("2026-12-01 02:24:58 +0000 UTC text", "text", {}),
    ("12/1/2026, 2:24:58 PM - ERROR - text", "text", {"level": "error"}),
    ("[2026-12-01 2:24:58 PM] text", "text", {}),
    ("2:24:58 PM text", "text", {}),
    ("2026-12-01 02:24:58.123 | ERROR    | module:func:12 - msg", "msg", {"level": "error"}),
    ("[12/01/26 02:24:58] INFO     msg", "msg", {"level": "info"}),
    ("ERROR:root:msg", "msg", {"level": "error", "logger": "root"}),
    ("2026-12-01 02:24:58,123 - name - ERROR - msg", "msg", {"level": "error", "logger": "name"}),
    ("12/01/2026 02:24:58 - INFO - name - msg", "msg", {"level": "info", "logger": "name"}),
    ("[2026-12-01 02:24:58,123][name][ERROR] - msg", "msg", {"level": "error", "logger": "name"}),
    ("704.7s\t1462\ttext", "text", {}),
    # several tools in a row
    ("pod/train-1 [default0]:[rank12]: text", "text", {"rank": 12, "local_rank": 0, "label": "train-1/default"}),
    ("[pod/train-1/main] 2026-12-01T02:24:58.123456789Z [rank12]: text", "text", {"rank": 12, "label": "train-1/main"}),
    (
        "2026-12-01T02:24:58.123456789Z stderr F [default3]:[rank11]:[E1201 02:24:58.123456789 x.cpp:1] text",
        "text",
        {"rank": 11, "local_rank": 3},
    ),
    ("704.7s\t1462\t[rank1]: text", "text", {"rank": 1}),
]


@pytest.mark.parametrize(("raw", "text", "who"), SEEN, ids=[s[0][:60] for s in SEEN])
def test_a_printed_line_loses_its_prefixes_and_tells_its_writer(raw: str, text: str, who: dict[str, object]) -> None:
    (line,) = Prefixes([f for f in formats() if not f.vote]).split(raw.encode(), 1)
    assert line.text == text
    assert {name: getattr(line.origin, name) for name in who} == who


NOT_PREFIXES = [
    "[0]:",
    "[1/3] c++ -MMD x.cc",
    "[default] $ python train.py",
    "[c10d] The server socket has failed to listen",
    "[enforce fail at alloc_cpu.cpp:117] err == 0",
    "[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer",
    "1: first point of a list",
    "RuntimeError: CUDA out of memory",
    "ranking: 3 of 5",
    "1796091898 samples read",
    "17960918981 samples read",
    "12/13 shards done",
]


@pytest.mark.parametrize("raw", NOT_PREFIXES)
def test_text_that_only_looks_like_a_prefix_stays(raw: str) -> None:
    assert parse(raw).text == raw


LABELLED: list[tuple[str, list[str], str, dict[str, object]]] = [
    ("srun-label", [f"{i % 4}: step {i}" for i in range(40)] + ["3: ValueError: x"], "ValueError: x", {"task": 3}),
    ("srun-label", [f"{i % 16:02d}: step {i}" for i in range(64)] + ["03: ValueError: x"], "ValueError: x", {"task": 3}),
    ("pdsh", [f"node{i % 2}: step {i}" for i in range(20)] + ["node1: ValueError: x"], "ValueError: x", {"host": "node1"}),
    (
        "compose",
        [f"trainer-{i % 2}  | step {i}" for i in range(20)] + ["trainer-1  | ValueError: x"],
        "ValueError: x",
        {"label": "trainer-1"},
    ),
    (
        "stern",
        [f"train-{i % 2} main step {i}" for i in range(20)] + ["train-0 main ValueError: x"],
        "ValueError: x",
        {"label": "train-0 main"},
    ),
    ("hydra-mpi-rank", [f"[{i % 2}] step {i}" for i in range(20)] + ["[1] ValueError: x"], "ValueError: x", {"task": 1}),
]


@pytest.mark.parametrize(("layout", "log", "text", "who"), LABELLED)
def test_a_plain_label_counts_where_nearly_all_lines_carry_it(layout: str, log: list[str], text: str, who: dict[str, object]) -> None:
    chosen, seen = choose(formats(), log)
    assert seen == layout
    line = Prefixes(chosen).parse(log[-1])
    assert line.text == text
    assert {name: getattr(line.origin, name) for name in who} == who


@pytest.mark.parametrize("lone", ["3: ValueError: x", "node1: ValueError: x", "trainer-1  | ValueError: x", "[1] ValueError: x"])
def test_a_plain_label_on_one_line_alone_is_text(lone: str) -> None:
    chosen, layout = choose(formats(), ["starting", "step 1", "step 2", "step 3", lone])
    assert layout is None
    assert Prefixes(chosen).parse(lone).text == lone


def test_a_rank_found_further_inside_wins() -> None:
    assert parse("3: [rank12]: text", "srun-label").origin.rank == 12


def test_the_longest_time_wins_over_a_bare_clock() -> None:
    stamp = parse("2026-12-01T02:24:58Z 02:24:59 text").origin.stamp
    assert stamp is not None
    assert stamp.text.startswith("2026-12-01T02:24:58")


def test_headings_between_parts_of_one_file_name_the_writer() -> None:
    paths = [PathFormat(r["name"], r["pattern"]) for r in rows("paths")]
    assert (who := section_of("==> logs/node1.log <==", paths)) is not None
    assert who.host == "node1"
    assert (who := section_of("--- node7:/var/log/messages ---", paths)) is not None
    assert who.host == "node7"
    assert section_of("--- summary ---", paths) is None


@pytest.mark.parametrize(
    ("path", "who"),
    [
        ("none_jo11r8qp/attempt_1/3/stderr.log", {"attempt": 1, "local_rank": 3}),
        ("none_jo11r8qp/attempt_0/3/filtered_stdout.log", {"attempt": 0, "local_rank": 3}),
        ("out/1/rank.03/stderr", {"rank": 3}),
        ("logs/train_rank5.err", {"rank": 5}),
        ("logs/node-d.log", {"host": "node-d"}),
        ("logs/node-d/rank5.log", {"rank": 5}),
        ("session/worker-01ab-02-4242.err", {"pid": 4242}),
        ("nccl.node1.4242", {"host": "node1", "pid": 4242}),
        ("logs/train.log", {"rank": None, "host": None}),
        ("frank5ly.txt", {"rank": None}),
    ],
)
def test_the_name_of_a_file_tells_its_writer(path: str, who: dict[str, object]) -> None:
    identity = identity_of(path, [PathFormat(r["name"], r["pattern"]) for r in rows("paths")])
    assert {name: getattr(identity, name) for name in who} == who
