"""Decoration that terminals understand and readers do not: it is gone before anything else looks at a line."""

from __future__ import annotations

import pytest

from firstfault.read.clean import LONGEST, segments, torn_apart, without_bar

DECORATED = [
    pytest.param(b"\x1b[31mError\x1b[0m: x", ["Error: x"], id="colour"),
    pytest.param(b"\x1b[1;38;5;196mError\x1b[m", ["Error"], id="256 colours"),
    pytest.param(b"\x1b[2K\x1b[1A\x1b[Gstep 1", ["step 1"], id="cursor movement"),
    pytest.param(b"\x1b]0;node1: train.py\x07step 1", ["step 1"], id="window title ended by BEL"),
    pytest.param(b"\x1b]8;;file:///x\x1b\\train.py\x1b]8;;\x1b\\ failed", ["train.py failed"], id="hyperlink ended by ST"),
    pytest.param(b"\x1b]633;A\x07$ torchrun\x1b]633;B\x07 train.py", ["$ torchrun train.py"], id="shell integration marks"),
    pytest.param(b"\x1b]0;title that never ends", [""], id="window title cut off"),
    pytest.param(b"\x1bP1$r0m\x1b\\text", ["text"], id="device control string"),
    pytest.param(b"\x1b(Btext", ["text"], id="character set"),
    pytest.param(b"\x1b7\x1b=\x1bMtext\x1b8", ["text"], id="saved cursor and keypad"),
    pytest.param(b"section_start:1:x\r\x1b[0Ktext", ["section_start:1:x", "text"], id="GitLab section"),
    pytest.param(b"one\rtwo\rthree", ["one", "two", "three"], id="redraws by carriage return"),
    pytest.param(b"one\r", ["one"], id="CRLF"),
    pytest.param(b"\r\r\r", [""], id="nothing but carriage returns"),
    pytest.param(b"a\r   \rb", ["a", "b"], id="blank redraws do not count"),
    pytest.param(b"12%\x08\x08\x0815%", ["15%"], id="backspaces over a number"),
    pytest.param(b"\x08\x08text", ["text"], id="backspaces at the margin"),
    pytest.param(b"te\x00xt\x00", ["text"], id="NUL"),
    pytest.param("Fehler: zerstört".encode(), ["Fehler: zerstört"], id="UTF-8"),
    pytest.param("Fehler: zerstört".encode("latin-1"), ["Fehler: zerstört"], id="Latin-1"),
    pytest.param(b"plain", ["plain"], id="nothing to do"),
    pytest.param(b"", [""], id="empty"),
]


@pytest.mark.parametrize(("raw", "shown"), DECORATED)
def test_a_line_is_what_a_terminal_would_have_shown(raw: bytes, shown: list[str]) -> None:
    assert segments(raw) == shown


def test_of_a_very_long_line_only_the_beginning_is_looked_at() -> None:
    (text,) = segments(b"x" * (LONGEST + 100))
    assert len(text) == LONGEST


BARS = [
    (" 12%|█▏        | 120/1000 [00:10<01:13, 11.9it/s]RuntimeError: boom", "RuntimeError: boom"),
    (
        "Epoch 1:  50%|#####     | 5/10 [00:01<00:01,  4.1it/s, loss=0.3]Traceback (most recent call last):",
        "Traceback (most recent call last):",
    ),
    ("100%|██████████| 3/3 [00:00<00:00]  0%|          | 0/3 [00:00<?, ?it/s]KeyError: 'x'", "KeyError: 'x'"),
    (" 12%|█▏        | 120/1000 [00:10<01:13, 11.9it/s]", " 12%|█▏        | 120/1000 [00:10<01:13, 11.9it/s]"),
    ("accuracy 50%|of baseline", "accuracy 50%|of baseline"),
    ("no bar at all", "no bar at all"),
]


@pytest.mark.parametrize(("raw", "left"), BARS)
def test_text_glued_behind_a_progress_bar_is_found(raw: str, left: str) -> None:
    assert without_bar(raw) == left


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[rank2]: KeyError: 'x'[rank0]: Traceback", ["[rank2]: KeyError: 'x'", "[rank0]: Traceback"]),
        ("[rank2]: a[rank0]: b[rank1]:[E1201 02:27:17.1 x.cpp:1] c", ["[rank2]: a", "[rank0]: b", "[rank1]:[E1201 02:27:17.1 x.cpp:1] c"]),
        ("[default1]:[rank1]: a[rank0]: b", ["[default1]:[rank1]: a", "[rank0]: b"]),
        ("[rank1]:[rank1]: twice", ["[rank1]:[rank1]: twice"]),
        ("[rank1]: the others are [rank2] and [rank3]", ["[rank1]: the others are [rank2] and [rank3]"]),
        ("ERROR worker said [rank1]: a and [rank2]: b", ["ERROR worker said [rank1]: a and [rank2]: b"]),
    ],
)  # fmt: skip
def test_what_several_ranks_wrote_to_one_line_is_told_apart(text: str, parts: list[str]) -> None:
    assert torn_apart(text) == parts
