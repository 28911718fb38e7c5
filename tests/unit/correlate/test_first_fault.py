"""Which of many failures came first, on logs as small as the question allows, with the real catalogue."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine
from firstfault.report import Incident, Report

from .conftest import Diagnose
from .logs import steps, summary, traceback, watchdog


def first(report: Report) -> Incident:
    assert report.incidents, report.summary
    return report.incidents[0]


# --- a local error beats the waiting of the others --------------------------------------------------------------------

LOCAL = [
    "KeyError: 'input_ids'",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB",
    "RuntimeError: CUDA error: device-side assert triggered",
    "OSError: [Errno 28] No space left on device: '/ckpt/step_40.pt'",
    "ShardError: a failure that no catalogue knows",
]


@pytest.mark.parametrize("error", LOCAL, ids=[e.split(":")[0] for e in LOCAL])
@pytest.mark.parametrize("place", ["before", "after"])
def test_one_local_error_explains_many_louder_timeouts(diagnose: Diagnose, error: str, place: str) -> None:
    own, waiting = traceback(error, "[rank5]: "), "".join(watchdog(r) for r in range(8) if r != 5)
    report = diagnose(own + waiting if place == "before" else waiting + own)
    incident = first(report)
    assert (incident.initiator.rank, incident.initiator.text is not None and error.split(":", 1)[0] in incident.initiator.text) == (5, True)
    assert {rank for c in incident.collateral for rank in c.ranks} == {0, 1, 2, 3, 4, 6, 7}
    assert len(report.incidents) == 1


def test_the_launchers_summary_is_never_the_cause(diagnose: Diagnose) -> None:
    log = steps() + traceback("KeyError: 'input_ids'", "[rank5]: ") + watchdog(0) + summary((0, -6), (5, 1), root=0)
    incident = first(diagnose(log))
    assert (incident.initiator.rank, incident.initiator.line) == (5, 26)


def test_the_error_that_came_first_in_a_process_explains_those_that_followed(diagnose: Diagnose) -> None:
    log = traceback("RuntimeError: CUDA error: an illegal memory access was encountered", "[rank2]: ") + traceback(
        "RuntimeError: CUDA error: an illegal memory access was encountered", "[rank2]: ", line=99
    )
    report = diagnose(log + traceback("RuntimeError: NCCL communicator was aborted on rank 2.", "[rank2]: "))
    assert first(report).initiator.line == 6
    assert len(report.incidents) == 1


def test_a_sticky_cuda_error_is_told_by_its_first_line(diagnose: Diagnose) -> None:
    block = (
        "../aten/src/ATen/native/cuda/Indexing.cu:1255: block: [3,0,0], thread: [5,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n"
    )
    log = block * 50 + "".join(traceback("RuntimeError: CUDA error: device-side assert triggered", line=n) for n in (61, 70, 80))
    report = diagnose(log)
    assert len(report.incidents) == 1
    assert (first(report).initiator.line or 0) <= 56


# --- signals ----------------------------------------------------------------------------------------------------------


def sigterm(*ranks: int) -> str:
    return "".join(
        "W1201 10:10:08.000000 3999 torch/distributed/elastic/multiprocessing/api.py:900] "
        f"Sending process {4000 + r} closing signal SIGTERM\n"
        for r in ranks
    )


KILLED = (
    "E1201 10:10:09.000000 3999 torch/distributed/elastic/multiprocessing/api.py:869] "
    "failed (exitcode: -9) local_rank: 3 (pid: 4003) of binary: python\n"
)


def test_siblings_ended_by_the_launcher_are_victims(diagnose: Diagnose) -> None:
    log = (
        steps() + traceback("KeyError: 'input_ids'", "[rank2]: ") + sigterm(0, 1, 3) + summary((0, -15), (1, -15), (2, 1), (3, -15), root=2)
    )
    report = diagnose(log)
    assert [i.initiator.rank for i in report.incidents] == [2]
    assert "KeyError" in (first(report).initiator.text or "")


def test_a_kill_without_a_word_is_undetermined_and_asks_for_the_kernel_log(diagnose: Diagnose) -> None:
    report = diagnose(steps() + sigterm(0, 1, 2) + KILLED + summary((3, -9), root=3))
    incident = first(report)
    assert (report.verdict, incident.status, incident.initiator.rank) == ("undetermined", "undetermined", 3)
    assert any("dmesg" in (m.command or "") or "journalctl" in (m.command or "") for m in incident.missing)


def test_the_kernel_log_settles_who_killed_it(diagnose: Diagnose) -> None:
    kernel = (
        "Dec  1 10:10:07 node1 kernel: python invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
        "Dec  1 10:10:07 node1 kernel: Out of memory: Killed process 4003 (python) total-vm:98304kB, anon-rss:65536kB\n"
    )
    report = diagnose(train=steps() + sigterm(0, 1, 2) + KILLED + summary((3, -9), root=3), node1=kernel)
    incident = first(report)
    assert (report.verdict, incident.initiator.rank, incident.initiator.source) == ("failure", 3, "node1.log")


CRASHES = [
    ("Segmentation fault (core dumped)", "a signal that only the shell reports"),
    ("Fatal Python error: Segmentation fault", "faulthandler"),
    ("Bus error (core dumped)", "a bus error"),
    ("run.sh: line 3:  4242 Killed                  python train.py", "a kill that the shell reports"),
    ("train.sh: line 7: 31337 Aborted                 (core dumped) python train.py", "an abort"),
]


@pytest.mark.parametrize("line", [c[0] for c in CRASHES], ids=[c[1] for c in CRASHES])
def test_a_run_that_ends_in_a_crash_has_failed(diagnose: Diagnose, line: str) -> None:
    assert diagnose(steps() + line + "\n").verdict != "no-failure"


# --- several ranks ----------------------------------------------------------------------------------------------------


def test_all_ranks_out_of_memory_is_one_incident(diagnose: Diagnose) -> None:
    error = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU {r} has a total capacity of 79.15 GiB"
    report = diagnose(steps() + "".join(traceback(error.format(r=r), f"[rank{r}]: ") for r in range(8)))
    assert len(report.incidents) == 1
    assert "memory" in first(report).title.lower()


def test_two_unrelated_failures_are_two_incidents(diagnose: Diagnose) -> None:
    log = traceback("OSError: [Errno 28] No space left on device: '/ckpt/step_40.pt'", "[rank0]: ")
    log += traceback(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.15 GiB", "[rank3]: "
    )
    assert {i.initiator.rank for i in diagnose(log).incidents} == {0, 3}


def test_time_decides_across_files_whatever_their_order(diagnose: Diagnose) -> None:
    late = "2026-12-01 10:05:00,000 ERROR trainer failed: " + traceback("ValueError: batch has 3 items, wanted 4")
    early = "2026-12-01 10:01:00,000 ERROR trainer failed: " + traceback(
        "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard_7.bin'"
    )
    forward, backward = diagnose(rank0=late, rank1=early), diagnose(rank1=early, rank0=late)
    assert first(forward).initiator.rank == first(backward).initiator.rank == 1
    assert first(forward).initiator.time == "2026-12-01T10:01:00.000"


def test_a_rank_without_a_prefix_is_named_by_the_launchers_summary(diagnose: Diagnose) -> None:
    log = steps() + traceback("KeyError: 'input_ids'") + sigterm(0, 1, 3) + summary((2, 1), root=2)
    assert first(diagnose(log)).initiator.rank == 2


def test_timeouts_alone_name_the_rank_that_is_absent(diagnose: Diagnose) -> None:
    log = "world_size=4\n" + "".join(steps(3, f"[rank{r}]: ") for r in range(4)) + watchdog(0) + watchdog(1) + watchdog(3)
    incident = first(diagnose(log))
    assert incident.status != "established"
    assert incident.initiator.rank == 2


def test_timeouts_of_all_ranks_are_undetermined(diagnose: Diagnose) -> None:
    report = diagnose("world_size=4\n" + "".join(watchdog(r) for r in range(4)))
    assert report.verdict == "undetermined"
    assert first(report).missing


def test_one_rank_alone_leaves_the_others_out(diagnose: Diagnose) -> None:
    log = traceback("KeyError: 'input_ids'", "[rank5]: ") + watchdog(0)
    assert first(diagnose(log, only=5)).initiator.rank == 5
    assert all(0 not in c.ranks for c in first(diagnose(log, only=5)).collateral)


# --- what comes at the end of a process -------------------------------------------------------------------------------

PEER_LOST = "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.0.0.2]:7071"
TIMED_OUT = "RuntimeError: [/pytorch/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 8000ms for recv operation to complete"
ABORT = "terminate called without an active exception\n"


def exited(code: int, rank: int) -> str:
    place = "E1201 10:10:09.000000 3999 torch/distributed/elastic/multiprocessing/api.py:869]"
    return f"{place} failed (exitcode: {code}) local_rank: {rank} (pid: {4000 + rank}) of binary: python\n"


def said(*ranks: int, count: int = 3) -> str:
    return "".join(f"2026-12-01 10:00:{n:02d},000 INFO [rank {r}] step {n} loss 2.1\n" for n in range(count) for r in ranks)


def left(rank: int) -> str:
    return f"2026-12-01 10:00:30,000 INFO [rank {rank}] training finished after 3 steps\n"


@pytest.mark.parametrize("code", [-6, -11])
def test_a_crash_after_a_lost_connection_is_not_the_first_fault(diagnose: Diagnose, code: int) -> None:
    lost = "".join(traceback(PEER_LOST, f"[rank{r}]: ") for r in (0, 1))
    ends = (ABORT if code == -6 else "") + sigterm(1, 2) + exited(code, 0) + summary((0, code), (1, -15), (2, -15), root=0)
    incident = first(diagnose(said(0, 1, 2) + left(2) + lost + ends))
    assert (incident.signature, incident.initiator.rank) == ("collective/rank-left-early", 2)


def test_a_crash_before_anybody_lost_a_connection_is_the_first_fault(diagnose: Diagnose) -> None:
    log = said(0, 1, 2) + traceback(PEER_LOST, "[rank1]: ") + sigterm(1, 2) + exited(-11, 0) + summary((0, -11), (1, -15), (2, -15), root=0)
    incident = first(diagnose(log))
    assert (incident.signature, incident.initiator.rank) == ("launch/worker-sigsegv", 0)


def test_an_abort_that_names_no_process_is_that_of_the_process_that_aborted(diagnose: Diagnose) -> None:
    finished = "".join(left(r) for r in (0, 1, 2))
    log = said(0, 1, 2) + finished + ABORT + sigterm(0, 2) + exited(-6, 1) + summary((0, -15), (1, -6), (2, -15), root=1)
    incident = first(diagnose(log))
    assert (incident.signature, incident.initiator.rank) == ("python/terminate-called", 1)


def test_a_process_that_the_coordination_service_makes_abort_is_not_the_one_that_failed(diagnose: Diagnose) -> None:
    log = (
        "E0101 10:00:01.000001   12345 coordination_service_agent.cc:584] Failed to send heartbeat to coordination service: UNAVAILABLE\n"
        "F0101 10:00:02.000001   12345 client.h:80] Terminating process because the JAX distributed service detected fatal errors. "
        "absl::Status: UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats): /job:jax_worker/replica:0/task:3\n"
        "Aborted (core dumped)\n"
    )
    report = diagnose(log)
    assert (report.verdict, first(report).signature) == ("undetermined", "collective/coordination-service-lost")
    assert first(report).initiator.rank == 3
    assert first(report).missing


def test_an_abort_of_nobody_knows_whom_beside_a_lost_connection_settles_nothing(diagnose: Diagnose) -> None:
    spawned = "torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 0 terminated with the following error:\n"
    report = diagnose(said(0, 1, 2) + ABORT + spawned + traceback(PEER_LOST))
    assert report.verdict == "undetermined"
    assert first(report).missing


def test_the_rank_that_alone_did_not_time_out_came_too_late(diagnose: Diagnose) -> None:
    waited = "".join(traceback(TIMED_OUT, f"[rank{r}]: ") for r in (0, 2, 3))
    ends = sigterm(0, 1, 3) + exited(1, 2) + summary((0, -15), (1, -15), (2, 1), (3, -15), root=2)
    late, early = waited + traceback(PEER_LOST, "[rank1]: "), traceback(PEER_LOST, "[rank1]: ") + waited
    incident = first(diagnose(said(0, 1, 2, 3) + late + ends))
    assert (incident.signature, incident.initiator.rank, incident.status) == ("collective/rank-stalled", 1, "likely")
    assert diagnose(said(0, 1, 2, 3) + early + ends).verdict == "undetermined"


def test_a_rank_that_torchrun_neither_stopped_nor_found_failed_had_left_with_exit_code_0(diagnose: Diagnose) -> None:
    lost = "".join(traceback(PEER_LOST, f"[rank{r}]: ") for r in (0, 1))
    incident = first(diagnose(said(0, 1, 2) + lost + sigterm(1) + exited(1, 0) + summary((0, 1), (1, 1), root=0)))
    assert (incident.signature, incident.initiator.rank) == ("collective/rank-left-early", 2)
    assert "exit code 0" in incident.why_first


def test_a_run_that_is_stopped_from_outside_is_no_fault_of_a_rank(diagnose: Diagnose) -> None:
    pressed = (
        "W1201 10:10:08.000000 3999 torch/distributed/elastic/agent/server/api.py:753] Received 2 death signal, shutting down workers\n"
    )
    interrupted = "".join(traceback("KeyboardInterrupt", f"[rank{r}]: ") for r in (2, 0, 1))
    end = traceback("torch.distributed.elastic.multiprocessing.api.SignalException: Process 3999 got signal: 2")
    incident = first(diagnose(said(0, 1, 2) + pressed + interrupted + end))
    assert (incident.signature, incident.initiator.rank, incident.initiator.line) == ("launch/interrupted", None, 10)


def test_mpirun_of_open_mpi_5_tells_rank_and_signal_on_two_lines(diagnose: Diagnose) -> None:
    end = "-" * 74 + "\nprterun noticed that process rank 2 with PID 4002 on node node1 exited on\nsignal 9 (Killed).\n" + "-" * 74 + "\n"
    incident = first(diagnose(said(0, 1, 2) + traceback(PEER_LOST, "[rank0]: ") + end))
    assert (incident.signature, incident.initiator.rank, incident.initiator.host) == ("launch/worker-sigkill", 2, "node1")


# --- logs without their end -------------------------------------------------------------------------------------------


def test_a_log_that_breaks_off_inside_a_traceback_is_a_failure_without_a_name(diagnose: Diagnose) -> None:
    cut = "\n".join(traceback("KeyError: 'label'", "[rank2]: ").splitlines()[:-1]) + "\n"
    report = diagnose(said(0, 1, 2) + cut)
    incident = first(report)
    assert (report.verdict, incident.signature, incident.initiator.rank) == ("undetermined", "structure/traceback-cut-off", 2)
    assert incident.missing[0].fact == "the end of the log"


def test_lines_of_another_logger_inside_a_traceback_do_not_hide_that_its_end_is_missing(diagnose: Diagnose) -> None:
    lines = traceback("KeyError: 'label'").splitlines()[:-1]
    lines.insert(2, "[2023-11-16 11:33:53,454] [INFO] [axolotl.utils.samplers:178] [PID:80] packing_efficiency_estimate: 0.78")
    assert first(diagnose("\n".join(lines) + "\n")).signature == "structure/traceback-cut-off"


def test_a_log_may_end_with_the_head_of_a_traceback(diagnose: Diagnose) -> None:
    report = diagnose(said(0) + "Traceback (most recent call last):\n")
    assert (report.verdict, first(report).signature) == ("undetermined", "structure/traceback-cut-off")


def test_a_notebook_names_the_exception_at_the_head_of_its_traceback(diagnose: Diagnose) -> None:
    head = "-" * 75 + "\nIndexError                                Traceback (most recent call last)\n"
    frames = "Cell In[1], line 3\n      1 import torch\n      2 x = []\n----> 3 x[0]\n" * 4
    assert first(diagnose(head + frames)).signature == "python/index-error"
    whole = first(diagnose(head + frames + "\nIndexError: list index out of range\n"))
    assert (whole.signature, whole.initiator.line) == ("python/index-error", 20)


def test_what_another_rank_lost_is_no_reason_to_pass_over_a_traceback_without_its_end(diagnose: Diagnose) -> None:
    cut = "\n".join(traceback("KeyError: 'label'", "[rank2]: ").splitlines()[:-1]) + "\n"
    lost = "[rank0]: RuntimeError: [../gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:28341\n"
    assert first(diagnose(said(0, 1, 2) + lost + cut)).initiator.rank == 2


def test_a_traceback_with_an_exception_elsewhere_names_the_exception(diagnose: Diagnose) -> None:
    cut = "\n".join(traceback("KeyError: 'label'", "[rank2]: ").splitlines()[:-1]) + "\n"
    assert first(diagnose(traceback("ValueError: record 25 is damaged", "[rank1]: ") + cut)).initiator.rank == 1


# --- runs that end well -----------------------------------------------------------------------------------------------

CAUGHT = {
    "a warning with its traceback": "2026-12-01 10:00:01,000 WARNING could not read the cache, building it\n"
    + traceback("FileNotFoundError: [Errno 2] No such file or directory: 'cache.bin'"),
    "a retry": "2026-12-01 10:00:01,000 ERROR download failed: ConnectionError: reset by peer, retrying in 5 s\n",
    "an Xid of another job": "[    1.678901] NVRM: Xid (PCI:0000:3b:00): 31, pid=99, name=notebook, Ch 00000008\n",
}


@pytest.mark.parametrize("noise", ["a warning with its traceback", "a retry"])
def test_an_error_in_a_run_that_ends_well_is_a_note(diagnose: Diagnose, noise: str) -> None:
    report = diagnose(CAUGHT[noise] + steps(30) + "2026-12-01 10:01:00,000 INFO training finished\n")
    assert (report.verdict, report.incidents) == ("no-failure", [])


def test_a_caught_error_is_mentioned(diagnose: Diagnose) -> None:
    report = diagnose(CAUGHT["a warning with its traceback"] + steps(30) + "2026-12-01 10:01:00,000 INFO training finished\n")
    assert any("did not end the run" in note for note in report.notes)


@pytest.mark.parametrize("steps_after", [0, 1, 4])
def test_an_error_that_a_rank_logged_and_trained_on_after_is_not_what_ended_another(diagnose: Diagnose, steps_after: int) -> None:
    record = "2026-12-01 10:00:03,500 ERROR [rank 0] skipping a damaged record\n" + traceback("ValueError: record 25 is damaged")
    more = "".join(f"2026-12-01 10:00:{n:02d},000 INFO [rank 0] step {n} loss 2.1\n" for n in range(3, 3 + steps_after))
    incident = first(diagnose(said(0, 1, 2) + record + more + traceback("KeyError: 'label'", "[rank2]: ") + "exit code: 1\n"))
    assert (incident.signature, incident.initiator.rank) == (("python/key-error", 2) if steps_after > 1 else ("python/value-error", 0))


def test_an_exception_that_the_interpreter_ignores_ends_nothing(diagnose: Diagnose) -> None:
    finalizer = "Exception ignored in: <function _Iterator.__del__ at 0x7f>\n" + traceback(
        "AttributeError: 'NoneType' object has no attribute 'join'"
    )
    report = diagnose(steps() + finalizer)
    assert report.verdict == "no-failure"
    assert any("NoneType" in note for note in report.notes)


def test_an_error_that_a_logger_wrote_ends_nothing_where_training_goes_on(diagnose: Diagnose) -> None:
    failed = "2026-12-01 10:00:03,000 ERROR save failed: [Errno 28] No space left on device\n" + traceback(
        "OSError: [Errno 28] No space left on device: '/ckpt/3.pt'"
    )
    ignored = "Exception ignored in: <function f at 0x7f>\n" + traceback("AttributeError: x")
    done = "2026-12-01 10:00:09,000 INFO training finished\n"
    assert diagnose(steps(3) + failed + steps(3, start=4) + done + ignored).verdict == "no-failure"


# Words that sound like a caught error or a success and are neither.
SOUNDING_HARMLESS = {
    "a retry count that is exceeded": "ib_mlx5_log.c:177 UCX ERROR Transport retry count exceeded on mlx5_0:1/IB (synd 0x15)\n"
    "==== backtrace ====\n",
    "a fault without retry": "amdgpu 0000:c1:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8 pasid:32770)\n"
    "amdgpu 0000:c1:00.0: amdgpu:   in page starting at address 0x00007f3f2a600000\n",
    "a choice of an option": "usage: train.py [-h] [--on-error {skip,caught,ignored}]\n"
    "train.py: error: argument --on-error: invalid choice: 'retry' (choose from 'skip', 'caught', 'ignored')\n",
    "a choice of an option, without quotes": "usage: train.py [-h] [--on-error {skipped,caught}]\n"
    "train.py: error: argument --on-error: invalid choice: 'x' (choose from skipped, caught)\n",
    "a pod that the controller deletes": "  Warning  DeadlineExceeded  2s  job-controller  Job was active longer than specified deadline\n"
    "  Normal   SuccessfulDelete  2s  job-controller  Deleted pod: train-abc\n",
}


@pytest.mark.parametrize("log", SOUNDING_HARMLESS.values(), ids=SOUNDING_HARMLESS.keys())
def test_a_failure_may_use_the_word_retry_or_success(diagnose: Diagnose, log: str) -> None:
    assert diagnose(log).verdict == "failure"


# Reports of daemons and kernels whose logger calls them information.
GRAVE = {
    "a device plug-in": (
        "I0301 10:00:01.000101       1 health.go:198] XidCriticalError: Xid=79 on Device=GPU-1234; marking device as unhealthy.\n",
        "gpu/xid-79-fallen-off-bus",
    ),
    "a watcher of spot notices": (
        "2025-01-02T03:04:05Z INFO Spot instance interruption notice received: instance i-1 will be terminated at 2025-01-02T03:06:05Z\n"
        "2025-01-02T03:06:01Z Received signal 15 (SIGTERM), saving checkpoint\n",
        "scheduler/spot-instance-reclaimed",
    ),
    "a kernel with a hung task": (
        "[ 4411.000001] INFO: task python:12345 blocked for more than 120 seconds.\n"
        "[ 4411.000101]       Not tainted 5.15.0-1020 #1\n"
        "[ 4411.000401] Call Trace:\n" + "[ 4411.000501]  nfs_wait_bit_killable+0x1a/0x60 [nfs]\n" * 20,
        "host/hung-task",
    ),
    "a model server that passes on what its worker printed": (
        "".join(
            f"2024-05-01T10:00:01,101 [INFO ] W-9000-mnist_1.0-stdout MODEL_LOG - {line}\n"
            for line in traceback("KeyError: 'label'").splitlines()
        ),
        "python/key-error",
    ),
}


@pytest.mark.parametrize(("log", "signature"), GRAVE.values(), ids=GRAVE.keys())
def test_a_line_that_says_how_grave_it_is_counts_for_more_than_its_level(diagnose: Diagnose, log: str, signature: str) -> None:
    assert first(diagnose(log)).signature == signature


REFUSED = {
    "too many requests": "2024-01-10T10:00:01.000001Z ERROR text_generation_router::infer: router/src/infer.rs:120: no permits available\n",
    "tools without a parser": 'ERROR 01-20 12:00:02 [serving_chat.py:140] "auto" tool choice requires --enable-auto-tool-choice '
    "and --tool-call-parser to be set\n",
}


@pytest.mark.parametrize("log", REFUSED.values(), ids=REFUSED.keys())
def test_a_request_that_a_server_refuses_is_a_note(diagnose: Diagnose, log: str) -> None:
    report = diagnose(log)
    assert report.verdict == "no-failure"
    assert any("refused" in note for note in report.notes)


def test_a_pod_that_found_its_node_later_is_no_failure(diagnose: Diagnose) -> None:
    table = "2m   Warning   FailedScheduling   pod/train-0   0/8 nodes are available: 8 Insufficient nvidia.com/gpu.\n"
    found = "1m   Normal    Scheduled          pod/train-0   Successfully assigned ml/train-0 to node-1\n"
    assert first(diagnose(table)).signature == "scheduler/k8s-gpu-unschedulable"
    assert diagnose(table + found).verdict == "no-failure"


def test_an_ordinary_run_has_nothing_to_report(diagnose: Diagnose) -> None:
    report = diagnose(steps(50) + "2026-12-01 10:01:00,000 INFO training finished, exit code: 0\n")
    assert (report.verdict, report.incidents, report.notes) == ("no-failure", [], [])


# --- what a report promises -------------------------------------------------------------------------------------------


def test_why_first_names_what_the_decision_rests_on(diagnose: Diagnose) -> None:
    report = diagnose(traceback("KeyError: 'input_ids'", "[rank5]: ") + "".join(watchdog(r) for r in range(5)))
    assert first(report).why_first


@pytest.mark.parametrize("log", [watchdog(0), traceback("KeyError: 'x'"), "Killed\n"], ids=["timeout", "traceback", "kill"])
def test_a_report_invents_no_rank_host_or_time(diagnose: Diagnose, log: str) -> None:
    report = diagnose(log)
    who = first(report).initiator
    assert who.host is None
    assert who.rank in ((None, 0) if "rank0" in log else (None,))
    assert who.time is None or "E1201" in log


def test_an_undetermined_answer_always_says_what_is_missing(diagnose: Diagnose) -> None:
    for log in (watchdog(0), "Killed\n", steps() + summary((3, -9), root=3)):
        report = diagnose(log)
        if report.verdict == "undetermined":
            assert first(report).missing, log


# --- ranks that do not agree ---------------------------------------------------------------------------------------------


def ran(rank: int, what: str, peer: int, other: str) -> str:
    """What TORCH_DISTRIBUTED_DEBUG=DETAIL says in one rank of itself and another."""
    return traceback(
        f"RuntimeError: Detected mismatch between collectives on ranks. Rank {rank} is running collective: {what}, "
        f"but Rank {peer} is running collective: {other}.",
        prefix=f"[rank{rank}]: ",
    )


def test_the_one_rank_that_ran_another_collective_is_named(diagnose: Diagnose) -> None:
    report = diagnose(ran(0, "ALLREDUCE", 2, "BROADCAST") + ran(1, "ALLREDUCE", 2, "BROADCAST") + ran(2, "BROADCAST", 0, "ALLREDUCE"))
    assert first(report).initiator.rank == 2
    assert "the other 2 ranks" in first(report).why_first


@pytest.mark.parametrize(
    "log",
    [
        ran(0, "ALLREDUCE", 1, "BROADCAST") + ran(1, "BROADCAST", 0, "ALLREDUCE"),
        ran(0, "A", 1, "B") + ran(1, "B", 0, "A") + ran(2, "A", 3, "B") + ran(3, "B", 0, "A"),
        "[rank2]: what():  [enforce fail at gloo/transport/tcp/pair.cc:456] op.preamble.length <= op.nbytes. 2048 vs 4. "
        "Received data size doesn't match expected size. Is there a distributed collective mismatch in your code?\n"
        + summary((2, -6), (0, 1), root=2),
    ],
)
def test_where_no_side_stands_out_nobody_is_named_for_a_mismatch(diagnose: Diagnose, log: str) -> None:
    incident = first(diagnose(log))
    assert (incident.signature, incident.status, incident.initiator.rank) == ("collective/mismatch", "likely", None)
    assert "cannot be told from this log" in incident.why_first
    assert any("TORCH_DISTRIBUTED_DEBUG=DETAIL" in (m.command or "") for m in incident.missing)


# --- buffers ----------------------------------------------------------------------------------------------------------


def test_what_a_buffer_held_back_is_no_sign_of_life(diagnose: Diagnose) -> None:
    """Standard output comes at once when the process ends: its lines stand behind the error, with earlier times."""
    failed = "2026-12-01 10:00:30,000 ERROR OSError: [Errno 28] No space left on device: '/ckpt/step_30.pt'\n"
    assert diagnose(failed + steps()).verdict == "failure"
    assert diagnose(failed + steps(start=31)).verdict == "no-failure"


# --- lines torn by several writers ------------------------------------------------------------------------------------

CULPRIT = traceback("KeyError: 'input_ids'", "[rank2]: ").splitlines()
VICTIM = traceback(
    "RuntimeError: [../gloo/transport/tcp/pair.cc:553] Connection closed by peer [127.0.0.1]:28341", "[rank0]: "
).splitlines()
TORN = {
    "not torn": [*CULPRIT, *VICTIM],
    "interleaved": [line for pair in zip(CULPRIT, VICTIM, strict=True) for line in pair],
    "heads on one line": [CULPRIT[0] + VICTIM[0], "", *(line for pair in zip(CULPRIT[1:], VICTIM[1:], strict=True) for line in pair)],
    "the end before another's head": [*CULPRIT[:-1], CULPRIT[-1] + VICTIM[0], "", *VICTIM[1:]],
    "the other's end before its head": [*VICTIM[:-1], VICTIM[-1] + CULPRIT[0], "", *CULPRIT[1:]],
    "its end behind the other's frame": [*CULPRIT[:-1], *VICTIM[:3], VICTIM[3] + CULPRIT[-1], "", *VICTIM[4:]],
    "a step before the head": ["2026-12-01 10:00:01,000 INFO step 21 loss 2.1" + CULPRIT[0], *CULPRIT[1:], *VICTIM],
}


@pytest.mark.parametrize("lines", TORN.values(), ids=TORN.keys())
def test_what_two_ranks_wrote_to_one_line_is_told_apart(diagnose: Diagnose, lines: list[str]) -> None:
    incident = first(diagnose(steps() + "\n".join(lines) + "\n"))
    assert (incident.initiator.rank, incident.initiator.text) == (2, "KeyError: 'input_ids'")
    assert [c.ranks for c in incident.collateral] == [[0]]


SPARED = {
    "the interpreter says that it ignored the exception": "Exception ignored in: <function f at 0x7f>\n" + traceback("ValueError: x"),
    "the log ends well": traceback("ValueError: x") + "2026-12-01 10:00:09,000 INFO all done, exit code 0\n",
    "its process went on (line 26)": traceback("ValueError: x") + steps(),
    "the program logged it as info": "2026-12-01 10:00:03,000 INFO last run failed: OSError: [Errno 28] No space left on device\n"
    + steps(),
}


@pytest.mark.parametrize(("because", "log"), SPARED.items(), ids=SPARED.keys())
def test_the_trace_says_why_an_error_ended_nothing(engine: Engine, because: str, log: str) -> None:
    report = engine.report([engine.scan_text(log, "run.log")], trace=True)
    assert report.verdict == "no-failure"
    assert report.trace is not None
    assert f"it ended nothing: {because}" in {step.because for step in report.trace}
