"""Crashes outside Python announce themselves in as many ways as there are runtimes."""

from __future__ import annotations

import pytest

from firstfault.blocks.native import read_native, read_terminate
from firstfault.engine import Engine
from firstfault.model import Raised

from .blocks import lines

TERMINATE = """\
terminate called after throwing an instance of 'c10::DistBackendError'
  what():  [Rank 3] Process group watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered
CUDA kernel errors might be asynchronously reported at some other API call.
Exception raised from run at ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2057 (most recent call first):
frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x80 (0x7f0 in libc10.so)
"""


def _read(log: str) -> Raised | None:
    parsed = lines(log)
    return read_native(parsed[0], parsed[1:])


def test_terminate_gives_the_type_and_what_it_says_without_the_stack() -> None:
    head, *rest = lines(TERMINATE)
    raised = read_terminate(head, rest)
    assert raised is not None
    assert raised.type == "c10::DistBackendError"
    assert "uncorrectable ECC error" in raised.message
    assert "frame #0" not in raised.message
    assert (raised.line, raised.end_line) == (1, 3)


def test_terminate_without_what_is_still_a_crash() -> None:
    head, *rest = lines("terminate called after throwing an instance of 'std::bad_alloc'\nstep 3\n")
    raised = read_terminate(head, rest)
    assert raised is not None
    assert (raised.type, raised.message) == ("std::bad_alloc", "terminate called after throwing an instance of 'std::bad_alloc'")


def test_lines_of_other_ranks_do_not_end_what_terminate_says() -> None:
    log = "[rank3]: terminate called after throwing an instance of 'std::runtime_error'\n[rank1]: step 3\n[rank3]:   what():  boom\n"
    head, *rest = lines(log)
    raised = read_terminate(head, rest)
    assert raised is not None
    assert raised.message.endswith("what():  boom")


CRASHES = [
    ("Fatal Python error: Segmentation fault", "FatalPythonError"),
    ("Fatal Python error: Aborted", "FatalPythonError"),
    ("Segmentation fault (core dumped)", "SIGSEGV"),
    ("run.sh: line 3: 4242 Segmentation fault      (core dumped) python train.py", "abort"),
    ("bash: line 1: Segmentation fault", "SIGSEGV"),
    ("[node1:4242:0:4242] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x8)", None),
    ("[node1:04242] Signal: Segmentation fault (11)", None),
    ("*** SIGSEGV received at time=1796091898 on cpu 3 ***", "SIGSEGV"),
    ("*** SIGABRT received at time=1796091898 on cpu 3 ***", "signal"),
    ("Bus error (core dumped)", "SIGBUS"),
    ("Illegal instruction (core dumped)", "SIGILL"),
    ("free(): invalid pointer", "abort"),
    ("free(): double free detected in tcache 2", "abort"),
    ("double free or corruption (!prev)", "abort"),
    ("malloc(): corrupted top size", "abort"),
    ("munmap_chunk(): invalid pointer", "abort"),
    ("corrupted size vs. prev_size", "abort"),
    ("*** stack smashing detected ***: terminated", "abort"),
    ("python: ../aten/src/ATen/x.cpp:12: void f(): Assertion `n > 0' failed.", "assertion"),
    ("thread 'main' panicked at src/main.rs:12:5:", "Rust panic"),
    ("thread '<unnamed>' (4242) panicked at src/main.rs:12:5:", "Rust panic"),
    ("panic: runtime error: index out of range [3] with length 3", "Go panic"),
    ('Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', "Java exception"),
    ("Aborted (core dumped)", "abort"),
]


@pytest.mark.parametrize(("line", "kind"), [c for c in CRASHES if c[1]], ids=[c[0][:40] for c in CRASHES if c[1]])
def test_the_first_line_of_a_crash_tells_its_kind(line: str, kind: str) -> None:
    raised = _read(line + "\n")
    assert raised is not None
    assert raised.type == kind
    assert raised.message == line


@pytest.mark.parametrize("line", [c[0] for c in CRASHES], ids=[c[0][:40] for c in CRASHES])
def test_every_crash_is_a_failure_even_without_an_entry(ignorant: Engine, line: str) -> None:
    report = ignorant.report([ignorant.scan_text(f"step 1\nstep 2\n{line}\n")])
    assert report.verdict != "no-failure"


@pytest.mark.parametrize(
    "line",
    [
        "INFO handler for Segmentation fault installed",
        "2026-12-01 10:00:00,000 INFO Fatal Python error: reports are enabled",
        "../aten/src/ATen/native/cuda/Indexing.cu:1255: block: [3,0,0], thread: [5,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
        "we panic: never",
        "Assertion checks are on",
    ],
)
def test_a_word_about_crashes_is_none(line: str) -> None:
    assert _read(line + "\n") is None


def test_faulthandler_gives_the_python_frames_of_the_thread_that_crashed() -> None:
    log = """\
Fatal Python error: Segmentation fault

Current thread 0x00007f1234567740 (most recent call first):
  File "/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", line 125 in forward
  File "/workspace/train.py", line 61 in main

Extension modules: numpy.core._multiarray_umath, torch._C (total: 2)
step 9
"""
    raised = _read(log)
    assert raised is not None
    assert [(f.file, f.line, f.function) for f in raised.frames] == [
        ("/usr/lib/python3/dist-packages/torch/nn/modules/linear.py", 125, "forward"),
        ("/workspace/train.py", 61, "main"),
    ]
    assert raised.end_line == 7


OTHERS = [
    pytest.param(
        "thread 'main' panicked at src/main.rs:12:5:\ncalled `Option::unwrap()` on a `None` value\n"
        "note: run with `RUST_BACKTRACE=1`\nStep 4\n",
        3,
        id="Rust",
    ),
    pytest.param("panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:8 +0x1d\nexit status 2\n", 5, id="Go"),
    pytest.param(
        'Exception in thread "main" java.lang.IllegalStateException: no\n\tat org.apache.spark.App.main(App.java:3)\n'
        "Caused by: java.io.IOException: disk\n\t... 3 more\nstep 4\n",
        4,
        id="Java",
    ),
]


@pytest.mark.parametrize(("log", "end"), OTHERS)
def test_a_crash_of_another_runtime_keeps_its_stack(log: str, end: int) -> None:
    raised = _read(log)
    assert raised is not None
    assert raised.end_line == end
