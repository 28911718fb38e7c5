"""The same message of two runs is one line; another message is another line."""

from __future__ import annotations

import pytest

from tests.lab.masking import masked, message_lines

SAME = [
    ("[2026-12-01 13:08:45,479] [INFO] [rank 0] step 0 loss 1.3405", "[2027-01-02 03:04:05,006] [INFO] [rank 12] step 45 loss 0.2"),
    ("W1201 13:08:53.584000 4261 torch/run.py:874] Sending process 4267", "W0102 03:04:05.000001 9 torch/run.py:902] Sending process 1"),
    (
        "RuntimeError: [/build/gloo/pair.cc:553] closed by peer [127.0.0.1]:6029.",
        "RuntimeError: [/src/a/pair.cc:1] closed by peer [::1]:7.",
    ),
    ("  host      : node-17.cluster", "  host      : localhost"),
    ("   Process name: [prterun-node-17-4242@1,3]", "   Process name: [prterun-vm-7@1,0]"),
    (
        "prterun noticed that process rank 3 with PID 42 on node node-17 exited on",
        "prterun noticed that process rank 0 with PID 7 on node vm exited on",
    ),
    ("  exitcode  : -11 (pid: 5215)  (SIGSEGV)", "  exitcode  : -6 (pid: 1)  (SIGSEGV)"),
    ("binary: /a/b-c/.venv/bin/python3", "binary: /usr/bin/python3.12"),
    ("at 0x7ffd12ab of 12ms", "at 0x1 of 9000ms"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_numbers_pids_paths_hosts_and_times_make_no_difference(one: str, other: str) -> None:
    assert masked(one) == masked(other)


def test_the_words_and_the_severity_of_a_line_stay() -> None:
    assert masked("E1201 13:08:53.584000 4261 torch/run.py:874] failed") == "E<time> <n> torch/run.py:<n>] failed"


def test_stack_frames_and_empty_lines_are_left_out_and_the_fields_of_the_launcher_stay() -> None:
    log = """\
[rank1]: Traceback (most recent call last):
[rank1]:   File "/workspace/train.py", line 145, in <module>
[rank1]:     main()
[rank1]:     ^^^^^^
[default1]:[rank1]: KeyError: 'label'

  rank      : 1 (local_rank: 1)
"""
    assert message_lines(log) == [
        "  rank      : <n> (local_rank: <n>)",
        "[default<n>]:[rank<n>]: KeyError: 'label'",
        "[rank<n>]: Traceback (most recent call last):",
    ]
