"""The number that a job step's launcher puts before lines or into names of files is the rank, unless a task holds several."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine
from firstfault.model import Report

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


# --- a launcher and its processes share what a multiplexer puts before lines ------------------------------------------------


def test_a_pod_whose_launcher_knows_two_ranks_gives_a_bare_traceback_to_the_one_that_said_nothing(diagnose: Diagnose) -> None:
    pod = traceback("ConnectionResetError: [Errno 104] Connection reset by peer", prefix="[rank0]: ") + traceback(OUT_OF_MEMORY)
    log = labelled(steps(prefix="[rank0]: ") + pod + summary((0, 1), (1, 1), root=0), form="[pod/train-{}/main] ")
    assert rank_of(diagnose(log)) == 1


def test_a_pod_that_speaks_of_one_rank_is_that_rank(diagnose: Diagnose) -> None:
    pods = [steps(prefix=f"[rank{n + 4}]: ") for n in range(3)]
    pods[1] += traceback(OUT_OF_MEMORY)
    assert rank_of(diagnose(labelled(*pods, form="[pod/train-{}/main] "))) == 5


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
