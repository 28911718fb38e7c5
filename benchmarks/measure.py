"""Runs commands and reads their processor time and peak memory from the system."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run of a command took: seconds, and peak memory in MiB."""

    wall: float
    user: float
    system: float
    memory: float


def run(command: Sequence[str], *, good: tuple[int, ...] = (0,)) -> Taken:
    """Run a command to its end and measure it; its output is thrown away."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in good:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Taken(time.perf_counter() - start, usage.ru_utime, usage.ru_stime, usage.ru_maxrss * scale / 2**20)


def best(command: Sequence[str], times: int = 5, *, good: tuple[int, ...] = (0,)) -> Taken:
    """The run with the least user time of several."""
    return min((run(command, good=good) for _ in range(times)), key=lambda t: t.user)
