"""What the logs of the lab looked like before, by version of PyTorch, and how a new one differs."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LAB = Path(__file__).resolve().parent
SOMETIMES = "? "
"""Stands before a line that only some runs have: which error a peer meets first, and who is quicker, is chance."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The message lines of a run, as they were accepted."""

    version: str
    always: frozenset[str]
    sometimes: frozenset[str]


class Archive:
    """The accepted logs, `seen/<version>/<run>.txt`, and beside them those that wait to be accepted."""

    def __init__(self, folder: Path = LAB) -> None:
        self._seen, self._changed = folder / "seen", folder / "changed"

    def compare(self, version: str, run: str, lines: Sequence[str]) -> str:
        """How a run's lines differ from the stored ones, as a diff that is empty where they do not; new ones are kept for acceptance."""
        pending = self._changed / version / f"{run}.txt"
        pending.unlink(missing_ok=True)
        stored = self._stored(version, run)
        if stored and stored.always <= set(lines) <= stored.always | stored.sometimes:
            return ""
        pending.parent.mkdir(parents=True, exist_ok=True)
        pending.write_text("".join(f"{line}\n" for line in _merged(stored, version, lines)), "utf-8")
        return _diff(stored, version, run, lines)

    def _stored(self, version: str, run: str) -> Stored | None:
        """The lines accepted for this version, else for the newest other one."""
        files = sorted(self._seen.glob(f"*/{run}.txt"), key=lambda path: (path.parent.name == version, _numbers(path.parent.name)))
        if not files:
            return None
        lines = files[-1].read_text("utf-8").splitlines()
        always = frozenset(line for line in lines if not line.startswith(SOMETIMES))
        return Stored(files[-1].parent.name, always, frozenset(line.removeprefix(SOMETIMES) for line in lines if line not in always))


def _merged(stored: Stored | None, version: str, lines: Sequence[str]) -> list[str]:
    """What to store: for the same version, a line that was missing once is one that comes sometimes."""
    if stored is None:
        return sorted(lines)
    sometimes = stored.sometimes | (stored.always ^ set(lines) if stored.version == version else frozenset[str]())
    return sorted(set(lines) - sometimes) + [SOMETIMES + line for line in sorted(sometimes)]


def _diff(stored: Stored | None, version: str, run: str, lines: Sequence[str]) -> str:
    before = sorted(stored.always | (stored.sometimes & set(lines))) if stored else []
    names = (f"seen/{stored.version}/{run}.txt" if stored else "(never seen)", f"{version}/{run}")
    return "\n".join(difflib.unified_diff(before, sorted(lines), *names, lineterm="", n=0))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version))
