"""A text that changes: after any edit the scan is what a scan of the whole new text would be, at a small part of the work."""

from __future__ import annotations

import random

import pytest

from firstfault.engine import Engine
from firstfault.lsp.analysis import TextScan, scan_text
from firstfault.lsp.lines import Lines
from firstfault.model import SourceScan

OOM = """\
Traceback (most recent call last):
  File "/workspace/train.py", line 12, in <module>
    loss = model(batch)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.40 GiB.
"""
HEALTHY = [f"[rank{n % 4}]: 2026-12-01 10:00:{n % 60:02d},000 INFO step {n} loss=2.{n % 10}\n" for n in range(3000)]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def scanned(engine: Engine, lines: Lines, earlier: TextScan | None = None) -> tuple[SourceScan, TextScan]:
    found = scan_text(engine, lines, "run.log", earlier, lambda: False)
    assert found.scan is not None
    return found.scan, found


def log(chance: random.Random) -> str:
    """Much that is healthy, with failures at some places, one of them where two pieces meet."""
    lines = list(HEALTHY)
    for _ in range(6):
        lines.insert(chance.randrange(len(lines)), chance.choice([OOM, "ValueError: bad\n", "==> node-b.log <==\n", "KeyError: 'x'\n"]))
    return "".join(lines)


@pytest.mark.parametrize("seed", range(4))
def test_a_scan_after_edits_is_a_scan_of_the_new_text(engine: Engine, seed: int) -> None:
    chance = random.Random(seed)
    lines = Lines.of(log(chance))
    _, state = scanned(engine, lines)
    for _ in range(5):
        first = chance.randrange(lines.count)
        last = first + chance.choice([0, 0, 1, 40, 700])
        new = chance.choice(["x", "", "\n", OOM, "a\nb\n", "ValueError: other\n"])
        lines = lines.replaced((first, 0), (last, 0), new, "utf-16")
        after, state = scanned(engine, lines, state)
        fresh, _ = scanned(engine, Lines(lines.pieces))
        assert after == fresh


def test_small_texts_are_scanned_as_files_are(engine: Engine) -> None:
    text = "".join(HEALTHY[:300]) + OOM
    by_pieces, _ = scanned(engine, Lines.of(text))
    whole = engine.scan_text(text, "run.log")
    assert by_pieces == whole


def test_restarts_in_several_pieces_are_all_counted(engine: Engine) -> None:
    again = "[default] starting workers for entrypoint: torchrun\n  restart_count=2\n"
    dead = "[default] Worker group FAILED. 3/3 attempts left; will restart worker group\n"
    text = "".join([dead, *HEALTHY, again, *HEALTHY, dead, *HEALTHY, OOM])
    assert len(Lines.of(text).pieces) > 3
    by_pieces, _ = scanned(engine, Lines.of(text))
    assert by_pieces.attempts == engine.scan_text(text, "run.log").attempts == 4


def test_a_traceback_over_two_pieces_is_one_fault(engine: Engine) -> None:
    frames = "".join(f'  File "/workspace/m{n}.py", line {n}, in f\n    call({n})\n' for n in range(400))
    header, *_ = OOM.splitlines(keepends=True)
    text = "".join(HEALTHY[:200]) + header + frames + OOM.splitlines()[-1] + "\n" + "".join(HEALTHY[:200])
    assert len(Lines.of(text).pieces) > 2
    scan, _ = scanned(engine, Lines.of(text))
    assert {(f.line, f.block.start_line if f.block else None) for f in scan.findings} == {(1002, 201)}


def test_typing_scans_a_piece_and_not_the_text(engine: Engine) -> None:
    lines = Lines.of("".join(HEALTHY * 10) + OOM)
    _, before = scanned(engine, lines)
    _, after = scanned(engine, lines.replaced((9000, 3), (9000, 3), "x", "utf-16"), before)
    renewed = [new for old, new in zip(before.segments.done, after.segments.done, strict=True) if old is not new]
    assert len(renewed) == 1


def test_a_cancelled_scan_goes_on_where_it_was(engine: Engine) -> None:
    lines = Lines.of("".join(HEALTHY * 10) + OOM)
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 40

    partial = scan_text(engine, lines, "run.log", None, cancelled)
    assert partial.scan is None
    assert len(partial.segments.done) == 40
    after, state = scanned(engine, lines, partial)
    assert after.findings[0].signature == "memory/cuda-out-of-memory"
    assert state.segments.done[:20] == partial.segments.done[:20]
