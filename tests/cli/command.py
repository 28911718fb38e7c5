"""The real command in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SERVER = Path(__file__).parents[2] / "server"
LONGEST = 60
"""Seconds after which a command counts as hanging."""


def environment(**more: str) -> dict[str, str]:
    """What the command sees of the outside: nothing that a terminal or a CI system has set."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "SYSTEMROOT", "XDG_CACHE_HOME")}
    return {**kept, "PYTHONPATH": str(SERVER), "PYTHONUTF8": "1", **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "firstfault", *arguments]


def run(*arguments: str, env: Mapping[str, str] | None = None, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    how.setdefault("stdin", subprocess.DEVNULL) if "input" not in how else None
    return subprocess.run(
        command(*arguments),
        env=environment(**(env or {})),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LONGEST,
        check=False,
        **how,
    )


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """The one sentence with which the command refused; anything else on the way fails the test."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("firstfault: ")
    return lines[0].removeprefix("firstfault: ")
