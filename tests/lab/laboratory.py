"""Starts the training program with one fault, and keeps what the run wrote."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.lab.launchers import LAUNCHERS, RANK_FILES, environment
from tests.lab.runs import Run

AT_ONCE = 2
STARTED = "step 10 "
"""What a run that is to be stopped from outside says when it is well under way."""
LONGEST = 600
"""Seconds after which a run counts as stuck. It takes ten on an idle machine; all its own time-outs are shorter than this."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a finished run left behind."""

    exit_code: int
    log: Path
    """What a person would give to the tool: the console's text, or the folder with the files of all ranks."""
    text: str


class Laboratory:
    """Runs all that will be asked for, a few at once, and hands each out when it is done."""

    def __init__(self, folder: Path, runs: Iterable[Run]) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._done: dict[str, Future[Recorded]] = {run.name: self._pool.submit(carry_out, run, folder / run.name) for run in runs}

    def recorded(self, run: Run) -> Recorded:
        """Wait for a run."""
        return self._done[run.name].result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def carry_out(run: Run, folder: Path) -> Recorded:
    """Run to the end, in a folder of its own."""
    launcher = LAUNCHERS[run.launcher]
    work, logs = folder / "work", folder / "logs"
    for made in (work, logs):
        made.mkdir(parents=True)
    console = logs / "console.log"
    with console.open("wb") as out:
        process = subprocess.Popen(
            launcher.full_command(*run.arguments),
            cwd=work,
            env={**environment(), **run.environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        if run.stopped_by is not None:
            _wait_for(STARTED, console, process)
            process.send_signal(run.stopped_by)
        exit_code = _end_of(process, run)
    if (work / RANK_FILES).is_dir():
        (work / RANK_FILES).rename(logs / RANK_FILES)
    log = console if launcher.console_only else logs
    return Recorded(exit_code, log, console.read_text("utf-8", errors="replace"))


def _wait_for(text: str, console: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + LONGEST
    while text not in console.read_text("utf-8", errors="replace") and process.poll() is None and time.monotonic() < end:
        time.sleep(0.2)


def _end_of(process: subprocess.Popen[bytes], run: Run) -> int:
    try:
        return process.wait(LONGEST)
    except subprocess.TimeoutExpired:
        # Launchers end their ranks when they are asked to stop, and not when they are killed.
        process.terminate()
        process.wait(30)
        raise RuntimeError(f"{run.name} did not end within {LONGEST} s") from None
