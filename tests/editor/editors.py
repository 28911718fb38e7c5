"""Runs an editor on a case with the configuration that docs/editors.md gives."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.lsp.logs import PROGRAM, RANKS

ROOT = Path(__file__).parents[2]
FIXED = PROGRAM.replace("DDP(build())", "DDP(build(), find_unused_parameters=True)")


def configuration(editor: str) -> str:
    """The block of docs/editors.md that is marked with the name of an editor."""
    text = (ROOT / "docs" / "editors.md").read_text("utf-8")
    match = re.search(rf"<!-- {editor} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert match is not None
    return match[1]


def case(folder: Path) -> Path:
    """A workspace with a program and the log of its run; returns the log."""
    (folder / "job").mkdir()
    (folder / "job" / "train.py").write_text(PROGRAM, "utf-8")
    log = folder / "run.log"
    log.write_text(RANKS, "utf-8")
    return log


def run(program: str, arguments: list[str], folder: Path) -> dict[str, Any]:
    """Run an editor in a folder, where it writes what it saw to `seen.json`; skips where the editor is absent. To the question
    whether an edit may be made it is told yes."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed; on Debian: apt-get install neovim emacs-nox elpa-eglot")
    commands = folder / "bin"
    commands.mkdir()
    shim = commands / "firstfault"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m firstfault "$@"\n', "utf-8")
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    env = {
        **os.environ,
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "server"),
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder / "config"),
    }
    done = subprocess.run([found, *arguments], cwd=folder, env=env, input="y\n", capture_output=True, text=True, timeout=90, check=False)
    seen = folder / "seen.json"
    assert seen.exists(), done.stdout + done.stderr
    return json.loads(seen.read_text("utf-8"))
