"""Stacks of a live process, as `py-spy dump` and Python's faulthandler print them: where a process that hangs stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from firstfault.blocks.frames import is_library
from firstfault.lazy import Lazy
from firstfault.model import Frame, LineNumber

_PROCESS = Lazy(r"^Process (?P<pid>\d+): (?P<command>.+)$")
_PYTHON = Lazy(r"^Python v\d")
_THREAD = Lazy(r'^\s*Thread (?P<id>0x[0-9a-fA-F]+|\d+)(?: \((?P<state>[\w+]+)\))?(?:: "(?P<name>[^"]*)")?')
_FRAME = Lazy(r"^\s{4,}(?P<function>[\w.<>]+) \((?P<file>[^():]+)(?::(?P<line>\d+))?\)\s*$")


class ThreadStack(NamedTuple):
    """The stack of one thread, innermost frame first."""

    name: str
    state: str
    frames: tuple[Frame, ...]
    line: LineNumber
    """Where the first frame of the user's own code stands in the dump, or the thread itself."""
    own: Frame | None
    """The innermost frame of the user's own code."""


class ProcessStack(NamedTuple):
    """The stacks of one process."""

    pid: int
    command: str
    line: LineNumber
    threads: tuple[ThreadStack, ...]

    @property
    def main(self) -> ThreadStack | None:
        """The thread that runs the program."""
        return next((t for t in self.threads if t.name == "MainThread"), self.threads[0] if self.threads else None)


def is_stack_dump(lines: Sequence[str]) -> bool:
    """Whether lines are what `py-spy dump` prints."""
    head = [line for line in lines[:10] if line.strip()]
    return len(head) > 1 and bool(_PROCESS.match(head[0]) and _PYTHON.match(head[1]))


def read_stack_dump(lines: Iterable[str]) -> list[ProcessStack]:
    """The stacks of every process in a dump, or in several that stand in one file."""
    processes: list[tuple[int, str, LineNumber, list[ThreadStack]]] = []
    head: tuple[str, str, LineNumber] | None = None
    frames: list[tuple[Frame, LineNumber]] = []

    def close() -> None:
        if head is not None and processes:
            processes[-1][3].append(_thread(head, frames))
        frames.clear()

    for number, line in enumerate(lines, 1):
        if process := _PROCESS.match(line):
            close()
            head = None
            processes.append((int(process["pid"]), process["command"].strip(), number, []))
        elif thread := _THREAD.match(line):
            close()
            head = (thread["name"] or thread["id"], thread["state"] or "", number)
        elif head is not None and (frame := _FRAME.match(line)):
            frames.append((Frame(frame["file"], int(frame["line"]) if frame["line"] else None, frame["function"]), number))
    close()
    return [ProcessStack(pid, command, number, tuple(threads)) for pid, command, number, threads in processes]


def _thread(head: tuple[str, str, LineNumber], frames: Sequence[tuple[Frame, LineNumber]]) -> ThreadStack:
    name, state, number = head
    own = next(((f, n) for f, n in frames if not _in_library(f.file)), None)
    return ThreadStack(name, state, tuple(f for f, _ in frames), own[1] if own else number, own[0] if own else None)


def _in_library(file: str) -> bool:
    """py-spy shortens the paths of packages, so that `torch/…` stands for a file in site-packages."""
    return is_library(file) or file.startswith(("torch/", "threading.py", "selectors.py", "socket.py", "multiprocessing/"))
