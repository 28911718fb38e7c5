"""The README shows what the program really prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_output_shown_in_the_readme_is_the_real_one() -> None:
    done = subprocess.run([sys.executable, "tools/readme.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_commands_of_the_readme_exist_in_the_makefile() -> None:
    readme, makefile = (ROOT / "README.md").read_text("utf-8"), (ROOT / "Makefile").read_text("utf-8")
    for command in ("demo", "test", "accuracy", "bench"):
        assert f"make {command}" in readme
        assert f"\n{command}:" in makefile
