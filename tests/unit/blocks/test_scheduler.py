"""Tables and records of schedulers: who ended, how, where and when."""

from __future__ import annotations

import pytest

from firstfault.blocks.scheduler import SchedulerSays, read_scheduler

SACCT_PIPES = """\
JobID|JobName|Partition|State|ExitCode|NodeList|Start|End
1234|train|gpu|FAILED|1:0|node[01-02]|2026-12-01T10:00:00|2026-12-01T11:00:00
1234.batch|batch||FAILED|1:0|node01|2026-12-01T10:00:00|2026-12-01T11:00:00
1234.extern|extern||COMPLETED|0:0|node[01-02]|2026-12-01T10:00:00|2026-12-01T11:00:00
1234.0|python||FAILED|0:9|node02|2026-12-01T10:00:01|2026-12-01T10:59:58
"""
SACCT_WIDE = """\
       JobID    JobName  Partition    Account  AllocCPUS      State ExitCode
------------ ---------- ---------- ---------- ---------- ---------- --------
1234              train        gpu       proj         64 OUT_OF_ME+    0:125
1234.batch        batch                  proj         64 OUT_OF_ME+    0:125
1234.extern      extern                  proj         64  COMPLETED      0:0
"""
JOB = """\
JobId=1234 JobName=train
   UserId=user(1000) GroupId=user(1000) MCS_label=N/A
   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:9
   DerivedExitCode=0:0
   StartTime=2026-12-01T10:00:00 EndTime=2026-12-01T11:00:00 Deadline=N/A
   NodeList=node07
"""
NODE = """\
NodeName=node07 Arch=x86_64 CoresPerSocket=64
   State=DOWN*+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A
   Reason=Not responding [slurm@2026-12-01T10:58:13]
NodeName=node08 Arch=x86_64 CoresPerSocket=64
   State=IDLE ThreadsPerCore=2
"""
POD = """\
Name:             train-worker-2
Namespace:        ml
Node:             node07/10.0.0.7
Status:           Running
Containers:
  pytorch:
    State:          Running
      Started:      Tue, 01 Dec 2026 11:00:00 +0000
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Tue, 01 Dec 2026 10:00:00 +0000
      Finished:     Tue, 01 Dec 2026 10:59:58 +0000
    Restart Count:  2
"""
EVENTS = """\
LAST SEEN   TYPE      REASON       OBJECT               MESSAGE
12m         Normal    Scheduled    pod/train-worker-0   Successfully assigned ml/train-worker-0 to node05
3m          Warning   Evicted      pod/train-worker-0   The node was low on resource: ephemeral-storage.
1m          Warning   OOMKilling   node/node07          Memory cgroup out of memory: Killed process 4242 (python)
"""


def says(text: str) -> SchedulerSays:
    told = read_scheduler(text.splitlines(), "x.txt")
    assert told is not None
    return told


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (SACCT_PIPES, "sacct"),
        (SACCT_WIDE, "sacct"),
        (JOB, "scontrol-job"),
        (NODE, "scontrol-node"),
        (POD, "kubectl-describe"),
        (EVENTS, "kubectl-events"),
        ("$ sacct -j 1234\n" + SACCT_PIPES, "sacct"),
    ],
)
def test_a_command_is_known_by_what_it_prints(text: str, layout: str) -> None:
    assert says(text).layout == layout


@pytest.mark.parametrize("text", ["", "step 1\n", "JobID 3 was submitted\n", "Name: llama\nSize: 7B\n", "State: RUNNING\n"])
def test_other_text_is_no_scheduler(text: str) -> None:
    assert read_scheduler(text.splitlines(), "x.txt") is None


def test_steps_tell_how_processes_ended_where_the_table_has_them() -> None:
    (ended,) = says(SACCT_PIPES).exits
    assert (ended.reporter, ended.code, ended.line, ended.host, ended.told) == ("slurm", -9, 5, "node02", False)
    assert ended.stamp is not None
    assert ended.stamp.text == "2026-12-01T10:59:58"


def test_a_column_that_is_cut_short_is_still_read() -> None:
    told = says(SACCT_WIDE)
    assert [(e.code, e.line) for e in told.exits] == [(-9, 4)]
    assert [(s.signature, s.line) for s in told.states] == [("scheduler/slurm-oom", 4)]


@pytest.mark.parametrize(
    ("state", "code", "signature", "told"),
    [
        ("FAILED", "2:0", None, False),
        ("FAILED", "137:0", None, False),
        ("TIMEOUT", "0:15", "scheduler/slurm-time-limit", True),
        ("CANCELLED by 1000", "0:15", "scheduler/slurm-cancelled", True),
        ("CANCELLED+", "0:15", "scheduler/slurm-cancelled", True),
        ("PREEMPTED", "0:0", "scheduler/slurm-preempted", True),
        ("NODE_FAIL", "0:0", "scheduler/slurm-node-fail", True),
        ("DEADLINE", "0:15", "scheduler/slurm-time-limit", True),
        ("COMPLETED", "0:0", None, False),
    ],
)
def test_a_state_says_whether_the_scheduler_ended_the_job(state: str, code: str, signature: str | None, told: bool) -> None:
    known = says(f"JobID|State|ExitCode\n1234.0|{state}|{code}\n")
    (ended,) = known.exits
    assert (ended.told, [s.signature for s in known.states]) == (told, [signature] if signature else [])
    assert ended.code == {"2:0": 2, "137:0": -9, "0:15": -15, "0:0": 0}[code]


@pytest.mark.parametrize("state", ["RUNNING", "PENDING", "COMPLETING"])
def test_a_job_under_way_has_not_ended(state: str) -> None:
    assert says(f"JobID|State|ExitCode\n1234.0|{state}|0:0\n").exits == []


def test_a_job_record_gives_state_exit_host_and_time() -> None:
    told = says(JOB)
    (ended,) = told.exits
    assert (ended.code, ended.line, ended.host, ended.told) == (-9, 4, "node07", True)
    assert [(s.signature, s.line) for s in told.states] == [("scheduler/slurm-node-fail", 3)]
    assert told.places[3].host == "node07"
    assert told.places[3].stamp is not None


def test_the_reason_of_a_node_has_its_host_and_time() -> None:
    told = says(NODE)
    assert list(told.hosts) == ["node07"]
    place = told.places[3]
    assert place.host == "node07"
    assert place.stamp is not None
    assert place.stamp.text == "2026-12-01T10:58:13"
    assert told.places[5].host == "node08"


def test_a_container_that_ended_has_its_node_time_and_attempt() -> None:
    told = says(POD)
    (ended,) = told.exits
    assert (ended.reporter, ended.code, ended.line, ended.host, ended.attempt) == ("kubernetes", -9, 11, "node07", 1)
    assert ended.stamp is not None
    assert ended.stamp.seconds == 1796122798
    assert told.places[10].label == "train-worker-2"


def test_several_pods_keep_their_nodes_apart() -> None:
    told = says(POD + "\n" + POD.replace("node07", "node08").replace("worker-2", "worker-3"))
    assert [(e.host, e.line) for e in told.exits] == [("node07", 11), ("node08", 26)]


def test_events_are_about_a_pod_or_a_node() -> None:
    told = says(EVENTS)
    assert (told.places[3].host, told.places[3].label) == ("node05", "train-worker-0")
    assert (told.places[4].host, told.places[4].label) == ("node07", None)


def test_a_table_that_breaks_off_is_no_error() -> None:
    for cut in range(0, len(SACCT_WIDE), 7):
        read_scheduler(SACCT_WIDE[:cut].splitlines(), "x.txt")
        read_scheduler(POD[:cut].splitlines(), "x.txt")
        read_scheduler(JOB[:cut].splitlines(), "x.txt")
