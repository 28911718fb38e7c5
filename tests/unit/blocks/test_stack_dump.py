"""Where the threads of a live process stand, as py-spy prints it."""

from __future__ import annotations

import pytest

from firstfault.blocks.stack_dump import is_stack_dump, read_stack_dump
from firstfault.model import Frame

DUMP = """\
Process 4242: /usr/bin/python -u train.py --steps 10
Python v3.11.9 (/usr/bin/python3.11)

Thread 4300 (idle): "pin_memory"
    wait (threading.py:324)
    do_one_step (torch/utils/data/_utils/pin_memory.py:37)
Thread 4242 (active+gil): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:2806)
    wrapper (torch/distributed/c10d_logger.py:83)
    train_step (train.py:200)
    <module> (train.py:360)
"""


def test_a_dump_is_known_by_its_first_lines() -> None:
    assert is_stack_dump(DUMP.splitlines())


@pytest.mark.parametrize("text", ["", "Process 4242: started\nstep 1\n", "Python v3.11.9\n", 'Thread 4242 (idle): "MainThread"\n'])
def test_other_text_is_none(text: str) -> None:
    assert not is_stack_dump(text.splitlines())


def test_the_main_thread_shows_what_the_program_waits_in_and_from_where() -> None:
    (process,) = read_stack_dump(DUMP.splitlines())
    assert (process.pid, process.line, len(process.threads)) == (4242, 1, 2)
    main = process.main
    assert main is not None
    assert (main.name, main.state, main.frames[0]) == (
        "MainThread",
        "active+gil",
        Frame("torch/distributed/distributed_c10d.py", 2806, "all_reduce"),
    )
    assert (main.own, main.line) == (Frame("train.py", 200, "train_step"), 10)


def test_a_thread_that_is_all_library_has_no_frame_of_its_own() -> None:
    (process,) = read_stack_dump(DUMP.splitlines())
    assert process.threads[0].own is None


def test_several_processes_may_stand_in_one_file() -> None:
    processes = read_stack_dump((DUMP + "\n" + DUMP.replace("4242", "4343")).splitlines())
    assert [(p.pid, p.line, len(p.threads)) for p in processes] == [(4242, 1, 2), (4343, 13, 2)]


def test_a_dump_that_could_not_read_its_process_has_no_threads() -> None:
    (process,) = read_stack_dump(DUMP.splitlines()[:2])
    assert process.main is None
