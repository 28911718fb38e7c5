"""The number that a job step's launcher puts before lines or into names of files is the rank, unless a task holds several."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine
from firstfault.report import Report

from .conftest import Diagnose
from .logs import steps, summary, traceback

OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB"


def rank_of(report: Report) -> int | None:
    assert report.incidents, report.summary
    return report.incidents[0].initiator.rank


def labelled(*logs: str, form: str) -> str:
    """The logs of tasks line after line, each line behind the number of its task."""
    return "".join(form.format(task) + line for task, log in enumerate(logs) for line in log.splitlines(keepends=True))


@pytest.mark.parametrize("form", ["{}: ", "[1,{}]<stderr>:", "[{}] "])
def test_the_label_of_a_task_with_one_process_is_its_rank(diagnose: Diagnose, form: str) -> None:
    log = labelled(steps(), steps(), steps() + traceback(OUT_OF_MEMORY), steps(), form=form)
    assert rank_of(diagnose(log)) == 2


def test_a_task_that_speaks_of_another_rank_is_a_node(diagnose: Diagnose) -> None:
    log = labelled(steps(prefix="[rank3]: "), steps() + traceback(OUT_OF_MEMORY), form="{}: ")
    assert rank_of(diagnose(log)) is None


def test_a_task_that_runs_an_agent_is_a_node(diagnose: Diagnose) -> None:
    log = labelled(steps() + traceback(OUT_OF_MEMORY) + summary((2, 1), (5, 1), root=2), form="{}: ")
    assert rank_of(diagnose(log)) in (2, None)


def test_a_task_with_several_local_ranks_is_a_node(diagnose: Diagnose) -> None:
    workers = "".join(steps(prefix=f"[default{n}]:") for n in range(2))
    log = labelled(workers, workers + traceback(OUT_OF_MEMORY), form="{}: ")
    assert rank_of(diagnose(log)) is None


def files(engine: Engine, **logs: str) -> Report:
    return engine.report([engine.scan_text(text, name) for name, text in logs.items()])


@pytest.mark.parametrize("form", ["slurm-4242-{}.out", "out/task{}/stderr", "logs/train.4242.{}.log"])
def test_files_numbered_from_0_are_those_of_tasks_where_something_agrees(engine: Engine, form: str) -> None:
    logs = {form.format(n): "world_size=4\n" + steps() + (traceback(OUT_OF_MEMORY) if n == 2 else "") for n in range(4)}
    assert rank_of(files(engine, **logs)) == 2


def test_numbered_files_of_which_nothing_else_speaks_say_no_rank(engine: Engine) -> None:
    logs = {f"run_{n}.log": steps() + (traceback(OUT_OF_MEMORY) if n == 1 else "") for n in range(2)}
    assert rank_of(files(engine, **logs)) is None


def test_numbers_with_a_gap_say_no_rank(engine: Engine) -> None:
    logs = {f"slurm-77{n}.out": steps() + (traceback(OUT_OF_MEMORY) if n == 3 else "") for n in (1, 3, 4)}
    assert rank_of(files(engine, **logs)) is None


def test_files_of_nodes_say_no_rank(engine: Engine) -> None:
    logs = {f"slurm-4242-{n}.out": steps(prefix=f"[rank{8 * n + 1}]: ") for n in range(2)}
    logs["slurm-4242-1.out"] += traceback(OUT_OF_MEMORY)
    assert rank_of(files(engine, **logs)) is None


@pytest.mark.parametrize("form", ["slurm-4242-{}.out", "{}.log", "train_{}_4242.err"])
@pytest.mark.parametrize("host", ["nid001234", "ip-10-0-1-5", "hgx01"])
def test_a_file_that_bears_the_name_of_a_known_host_is_of_that_host(engine: Engine, form: str, host: str) -> None:
    said = f"{host}:5001:5101 [0] NCCL INFO comm 0x1 rank 4 nranks 16 cudaDev 0 busId 3b000 commId 0x2 - Init COMPLETE\n"
    logs = {form.format(host): said + steps() + traceback(OUT_OF_MEMORY), form.format("other"): steps()}
    assert files(engine, **logs).incidents[0].initiator.host == host


# --- a launcher and its processes share what a multiplexer puts before lines ------------------------------------------------


def test_a_pod_whose_launcher_knows_two_ranks_gives_a_bare_traceback_to_the_one_that_said_nothing(diagnose: Diagnose) -> None:
    pod = traceback("ConnectionResetError: [Errno 104] Connection reset by peer", prefix="[rank0]: ") + traceback(OUT_OF_MEMORY)
    log = labelled(steps(prefix="[rank0]: ") + pod + summary((0, 1), (1, 1), root=0), form="[pod/train-{}/main] ")
    assert rank_of(diagnose(log)) == 1


def test_a_pod_that_speaks_of_one_rank_is_that_rank(diagnose: Diagnose) -> None:
    pods = [steps(prefix=f"[rank{n + 4}]: ") for n in range(3)]
    pods[1] += traceback(OUT_OF_MEMORY)
    assert rank_of(diagnose(labelled(*pods, form="[pod/train-{}/main] "))) == 5


# --- processes that say who they are ---------------------------------------------------------------------------------------


def introduced(form: str, rank: int, error: str = "") -> str:
    return form.format(rank) + "\n" + steps() + (traceback(error) if error else "")


@pytest.mark.parametrize(
    "form",
    [
        "INFO rank {} of 4 ready",
        "Rank {}/4 on node1",
        "Initializing distributed: GLOBAL_RANK: {0}, MEMBER: {0}/4",
        "| distributed init (rank {}): env://",
        "initialized host node1 as rank {}",
    ],
)
def test_files_that_each_speak_of_one_rank_are_those_of_ranks(engine: Engine, form: str) -> None:
    names = ["a.log", "b.log", "c.log", "d.log"]
    logs = {name: introduced(form, rank, OUT_OF_MEMORY if rank == 2 else "") for rank, name in enumerate(names)}
    assert rank_of(files(engine, **logs)) == 2


def test_files_whose_ranks_lie_a_node_apart_are_those_of_nodes(engine: Engine) -> None:
    logs = {f"{name}.log": introduced("rank {} of 16", 8 * n, OUT_OF_MEMORY if n else "") for n, name in enumerate("ab")}
    assert rank_of(files(engine, **logs)) is None


def test_a_pod_that_says_its_rank_in_a_sentence_is_that_rank(diagnose: Diagnose) -> None:
    pods = [introduced("2026-12-01 10:00:00 INFO rank {} of 3 ready", n, OUT_OF_MEMORY if n == 1 else "") for n in range(3)]
    assert rank_of(diagnose(labelled(*pods, form="[pod/train-{}/main] "))) == 1


RAY = """\
(TorchTrainer pid=3990) Started distributed worker processes:
(TorchTrainer pid=3990) - (node_id=aa, ip=10.0.0.1, pid=4001) world_rank=0, local_rank=0, node_rank=0
(TorchTrainer pid=3990) - (node_id=bb, ip=10.0.0.2, pid=4001) world_rank=1, local_rank=0, node_rank=1
(RayTrainWorker pid=4001, ip=10.0.0.1) step 1 loss 2.1
"""
RAY_ERROR = """\
ray.exceptions.RayTaskError(ValueError): ray::_RayTrainWorker__execute.get_next() (pid=4001, ip=10.0.0.2, actor_id=ee, repr=<x>)
  File "/opt/ray/train/_internal/worker_group.py", line 33, in __execute
    raise skipped from exception_cause(skipped)
  File "/workspace/train.py", line 61, in train_func
    x = batch["label"]
ValueError: bad label 77
"""


def test_an_error_that_ray_prints_elsewhere_is_that_of_the_process_that_raised_it(diagnose: Diagnose) -> None:
    report = diagnose(RAY + traceback(RAY_ERROR.rstrip()))
    first = report.incidents[0].initiator
    assert (first.rank, first.host, first.pid) == (1, "10.0.0.2", 4001)


def test_nccl_says_which_process_is_which_rank_of_the_largest_communicator(diagnose: Diagnose) -> None:
    log = (
        "node3:5001:5101 [2] NCCL INFO comm 0x55 rank 1 nranks 2 cudaDev 2 nvmlDev 2 busId 3b000 commId 0x1 - Init COMPLETE\n"
        "node3:5001:5101 [2] NCCL INFO comm 0x56 rank 10 nranks 16 cudaDev 2 nvmlDev 2 busId 3b000 commId 0x2 - Init COMPLETE\n"
    )
    kernel = "Dec  1 10:00:05 node3 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=5001, name=python, GPU has fallen off the bus.\n"
    assert rank_of(diagnose(train=log + steps(), node3=kernel)) == 10


def test_an_xid_without_a_process_is_of_the_rank_whose_gpu_it_names(diagnose: Diagnose) -> None:
    log = "".join(
        f"node3:{5000 + n}:{6000 + n} [{n}] NCCL INFO comm 0x{n} rank {8 + n} nranks 16 cudaDev {n} nvmlDev {n} busId {bus} "
        "commId 0x2 - Init COMPLETE\n"
        for n, bus in enumerate(["1b000", "3b000", "cb000"])
    )
    kernel = "Dec  1 10:00:05 node3 kernel: NVRM: Xid (PCI:0000:cb:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
    assert rank_of(diagnose(train=log + steps(), node3=kernel)) == 10


def test_a_service_whose_pid_stands_before_the_lines_of_all_ranks_is_no_rank(diagnose: Diagnose) -> None:
    said = introduced("rank {} of 4", 0) + steps(prefix="[rank1]: ") + traceback(OUT_OF_MEMORY)
    log = "".join(f"Dec 01 10:00:00 node0 train[4242]: {line}\n" for line in said.splitlines())
    assert rank_of(diagnose(log)) is None


# --- how many processes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "world"),
    [
        (["rank 0 of 4", "world size 4", "resuming a checkpoint saved with world_size=64"], 4),
        (["world_size=8"], 8),
        (["tensor_model_parallel_world_size=2", "tensor parallel world size: 2", "world_size=16"], 16),
        (["comm 0x1 rank 0 nranks 2 cudaDev 0"] * 3 + ["comm 0x2 rank 0 nranks 16 cudaDev 0"], 16),
        (["comm 0x1 rank 0 nranks 16 cudaDev 0"] * 3 + ["world_size=4"], 4),
        (["world_size=2", "world_size=2", "world_size=8", "[rank5]: step 1"], 8),
        (["no word of it"], None),
    ],
)
def test_the_world_size_is_what_most_lines_say_of_the_job(diagnose: Diagnose, said: list[str], world: int | None) -> None:
    log = "".join(f"{line}\n" for line in said) + "[rank1]: started\n" + traceback("KeyError: 'x'", prefix="[rank1]: ")
    assert diagnose(log).run.world_size == world
