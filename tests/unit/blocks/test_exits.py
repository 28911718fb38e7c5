"""How processes ended, as launchers, shells, schedulers and container engines put it."""

from __future__ import annotations

import pytest

from firstfault.blocks.exits import FORMS, parse_exit, parse_summary, signal_of
from firstfault.engine import Engine
from firstfault.model import ProcessExit

from ..read.prefixes import parse
from .blocks import lines

# What a line says; fields that are not named must be empty.
SAID: list[tuple[str, dict[str, object]]] = [
    (
        "failed (exitcode: -9) local_rank: 4 (pid: 364592) of binary: /usr/bin/python",
        {"reporter": "torchrun", "code": -9, "local_rank": 4, "pid": 364592},
    ),
    ("failed (exitcode: 1) local_rank: 0 (pid: 12) of binary: python", {"reporter": "torchrun", "code": 1, "local_rank": 0, "pid": 12}),
    ("Sending process 11572 closing signal SIGTERM", {"reporter": "torchrun", "code": -15, "pid": 11572, "told": True}),
    (
        "Unable to shutdown process 11572 via Signals.SIGTERM, forcefully exiting via SIGKILL",
        {"reporter": "torchrun", "code": -9, "pid": 11572, "told": True},
    ),
    ("Terminating process 77 via signal SIGTERM", {"reporter": "mp.spawn", "code": -15, "pid": 77, "told": True}),
    (
        "torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal SIGKILL",
        {"reporter": "mp.spawn", "code": -9, "rank": 1, "first": True},
    ),
    ("ProcessExitedException: process 0 terminated with exit code 3", {"reporter": "mp.spawn", "code": 3, "rank": 0, "first": True}),
    ("-- Process 1 terminated with the following error:", {"reporter": "mp.spawn", "rank": 1, "first": True}),
    ("Killing subprocess 1234", {"reporter": "deepspeed", "pid": 1234, "told": True}),
    ("['python', '-u', 'train.py', '--local_rank=1'] exits with return code = -9", {"reporter": "deepspeed", "code": -9}),
    ("pdsh@head: node1: ssh exited with exit code 1", {"reporter": "pdsh", "code": 1, "host": "node1"}),
    (
        "Child process with PID 4242 terminated with code 1. Forcefully terminating all other processes",
        {"reporter": "lightning", "code": 1, "pid": 4242, "first": True},
    ),
    ("srun: error: node1: task 3: Exited with exit code 1", {"reporter": "srun", "code": 1, "rank": 3, "host": "node1"}),
    ("srun: error: node1: task 3: Killed", {"reporter": "srun", "code": -9, "rank": 3, "host": "node1"}),
    ("srun: error: node1: task 3: Segmentation fault (core dumped)", {"reporter": "srun", "code": -11, "rank": 3, "host": "node1"}),
    ("srun: error: node1: task 3: Terminated", {"reporter": "srun", "code": -15, "rank": 3, "host": "node1", "told": True}),
    (
        "mpirun noticed that process rank 3 with PID 4242 on node node1 exited on signal 9 (Killed).",
        {"reporter": "mpirun", "code": -9, "rank": 3, "pid": 4242, "host": "node1", "first": True},
    ),
    (
        "prterun noticed that process rank 3 with PID 4242 on node node1 exited on",
        {"reporter": "mpirun", "rank": 3, "pid": 4242, "host": "node1", "first": True},
    ),
    ("signal 9 (Killed).", {"reporter": "mpirun", "code": -9}),
    ("  Process name: [[40000,1],3]", {"reporter": "mpirun", "rank": 3, "first": True}),
    ("  Process name: [prterun-node1-4242@1,3]", {"reporter": "mpirun", "rank": 3, "first": True}),
    ("  Exit code:    3", {"reporter": "mpirun", "code": 3}),
    ("MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD", {"reporter": "mpirun", "rank": 3, "first": True}),
    ("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES", {"reporter": "mpich"}),
    ("=   KILLED BY SIGNAL: 9 (Killed)", {"reporter": "mpich", "code": -9}),
    ("=   RANK 3 PID 4242 RUNNING AT node1", {"reporter": "mpich", "rank": 3, "pid": 4242, "host": "node1", "first": True}),
    ("command terminated with exit code 137", {"reporter": "container", "code": -9}),
    ("trainer-1 exited with code 1", {"reporter": "container", "code": 1}),
    ("      Exit Code:    137", {"reporter": "kubernetes", "code": -9}),
    ("   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:9", {"reporter": "slurm", "code": -9}),
    ("   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0", {"reporter": "slurm", "code": 1}),
    ("1234.0            python       gpu       proj         64     FAILED      0:9", {"reporter": "slurm", "code": -9}),
    ("1234.batch|batch||FAILED|1:0", {"reporter": "slurm", "code": 1}),
    ('    "exitCode": 139,', {"reporter": "kubernetes", "code": -11}),
    ("run.sh: line 3:  4242 Killed                  python train.py", {"reporter": "shell", "code": -9, "pid": 4242}),
    ("4242 Segmentation fault      (core dumped) python train.py", {"reporter": "shell", "code": -11, "pid": 4242}),
    ("Killed", {"reporter": "shell", "code": -9}),
    ("Aborted (core dumped)", {"reporter": "shell", "code": -6}),
    ("Bus error (core dumped) python train.py", {"reporter": "shell", "code": -7}),
    ("Floating point exception (core dumped)", {"reporter": "shell", "code": -8}),
    ("Hangup", {"reporter": "shell", "code": -1}),
    ("run.sh: line 3: Killed python train.py", {"reporter": "shell", "code": -9}),
    ("zsh: killed     python train.py", {"reporter": "shell", "code": -9}),
    ("zsh: segmentation fault (core dumped)  python train.py", {"reporter": "shell", "code": -11}),
    ("fish: Job 1, 'python train.py' terminated by signal SIGKILL (Forced quit)", {"reporter": "shell", "code": -9}),
    ("Killed                  python train.py", {"reporter": "shell", "code": -9}),
    ("exit code: 1", {"reporter": "kubernetes", "code": 1}),
    ("Process exited with status 1", {"reporter": "container", "code": 1}),
    ("exit status 2", {"reporter": "shell", "code": 2}),
    ("[Process] exited 1", {"reporter": "shell", "code": 1}),
    ("   RunTime=00:10:00 ExitCode=0:9", {"reporter": "slurm", "code": -9}),
    ("   JobState=FAILED Reason=NonZeroExitCode ExitCode=3:0", {"reporter": "slurm", "code": 3}),
    ("make: *** [Makefile:12: train] Error 137", {"reporter": "make", "code": -9}),
    ("make[2]: *** [Makefile:12: train] Error 1", {"reporter": "make", "code": 1}),
    ("Command '['python', 'train.py']' died with <Signals.SIGSEGV: 11>.", {"reporter": "subprocess", "code": -11}),
]
_FIELDS = ("code", "rank", "local_rank", "host", "pid")


def said(text: str) -> list[ProcessExit]:
    return list(parse_exit(parse(text), "x.log"))


@pytest.mark.parametrize(("text", "wanted"), SAID, ids=[s[0][:60] for s in SAID])
def test_one_line_says_who_ended_and_how(text: str, wanted: dict[str, object]) -> None:
    (report,) = said(text)
    assert report.reporter == wanted["reporter"]
    assert {f: getattr(report, f) for f in _FIELDS} == {f: wanted.get(f) for f in _FIELDS}
    assert (report.first, report.told) == (wanted.get("first", False), wanted.get("told", False))


def test_each_reporter_has_an_example_here() -> None:
    assert {form.reporter for form in FORMS} == {wanted["reporter"] for _, wanted in SAID}


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("srun: error: node1: tasks 0-3: Killed", [0, 1, 2, 3]),
        ("srun: error: node1: tasks 0,2,5-6: Exited with exit code 1", [0, 2, 5, 6]),
        ("srun: error: node1: tasks 4,7: Terminated", [4, 7]),
    ],
)
def test_slurm_folds_tasks_that_ended_alike(text: str, ranks: list[int]) -> None:
    assert [e.rank for e in said(text)] == ranks


@pytest.mark.parametrize(
    "text",
    [
        "step 3 done, exit strategy: none",
        "Killed 3 stale workers from an earlier run",
        "early exit at layer 12",
        "max_exit_code_retries=3",
        "code 1 of 3 compiled",
        "Terminated by user request at the end of epoch 3, all good so far in this run",
        "returned 42 samples",
        "   DerivedExitCode=0:0",
        "1234.extern|extern||COMPLETED|0:0",
    ],
)
def test_a_word_about_exits_is_none(text: str) -> None:
    assert said(text) == []


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (0, 0),
        (1, 1),
        (2, 2),
        (128, 128),
        (137, -9),
        (139, -11),
        (143, -15),
        (134, -6),
        (135, -7),
        (247, -9),
        (245, -11),
        (241, -15),
        (255, 255),
        (-9, -9),
    ],
)
def test_exit_codes_that_stand_for_signals_become_signals(code: int, meaning: int) -> None:
    assert signal_of(code) == meaning


NEW_SUMMARY = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-12-01_02:24:58
  host      : node1.example
  rank      : 6 (local_rank: 2)
  exitcode  : -15 (pid: 102932)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 102932
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-12-01_02:24:57
  host      : node1.example
  rank      : 5 (local_rank: 1)
  exitcode  : -9 (pid: 102931)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 102931
============================================================
"""
OLD_SUMMARY = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
********************************************
           train.py FAILED
=======================================
Root Cause:
[0]:
  time: 2021-10-01_02:24:57
  rank: 1 (local_rank: 1)
  exitcode: 1 (pid: 102931)
  error_file: <N/A>
  msg: "Process failed with exitcode 1"
=======================================
Other Failures:
[1]:
  time: 2021-10-01_02:24:58
  rank: 2 (local_rank: 2)
  exitcode: 1 (pid: 102932)
  error_file: <N/A>
  msg: "Process failed with exitcode 1"
********************************************
"""


def test_the_summary_of_torchrun_names_the_first_failure_it_saw() -> None:
    other, root = parse_summary(lines(NEW_SUMMARY), "x.log")
    assert (root.rank, root.local_rank, root.code, root.pid, root.host, root.first, root.told) == (
        5,
        1,
        -9,
        102931,
        "node1.example",
        True,
        False,
    )
    assert (other.rank, other.local_rank, other.code, other.first, other.told) == (6, 2, -15, False, True)
    assert root.stamp is not None
    assert root.stamp.text == "2026-12-01T02:24:57"
    assert root.line == 19


def test_the_summary_of_torch_2_13_names_the_signal_beside_the_pid() -> None:
    (report, *_) = parse_summary(lines(NEW_SUMMARY.replace("(pid: 102932)", "(pid: 102932)  (SIGTERM)")), "x.log")
    assert (report.code, report.pid) == (-15, 102932)


def test_the_summary_of_torch_1_9_is_read_too() -> None:
    reports = parse_summary(lines(OLD_SUMMARY), "x.log")
    assert [(r.rank, r.code, r.pid, r.first) for r in reports] == [(1, 1, 102931, True), (2, 1, 102932, False)]


@pytest.mark.parametrize("prefix", ["[default0]:", "node1: ", "704.7s\t1462\t", "2026-12-01T02:24:58.1234567Z "])
def test_a_summary_is_found_behind_prefixes(engine: Engine, prefix: str) -> None:
    log = "".join(f"{prefix}{line}\n" for line in ["step 1", "step 2", *NEW_SUMMARY.splitlines()])
    scan = engine.scan_text(log)
    assert {(e.rank, e.code, e.first) for e in scan.exits if e.rank is not None} >= {(5, -9, True), (6, -15, False)}
