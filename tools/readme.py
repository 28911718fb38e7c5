"""Puts real output into README.md: `python tools/readme.py` rewrites it, `--check` says whether it is stale."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"


def main() -> int:
    """Rewrite, or check."""
    old = README.read_text("utf-8")
    new = filled(old)
    if "--check" in sys.argv[1:]:
        if new != old:
            print("README.md is stale: run python tools/readme.py", file=sys.stderr)
            return 1
        return 0
    README.write_text(new, "utf-8")
    return 0


def filled(text: str) -> str:
    """README with each block between `<!-- name -->` and `<!-- /name -->` made anew."""
    for name, make in {"demo": demo, "settings": settings, "accuracy": accuracy}.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"README.md has no block {name}")
        block = make()
        text = pattern.sub(lambda m, block=block: f"{m[1]}{block}{m[2]}", text)
    return text


def demo() -> str:
    """The answer on the bundled log."""
    command = "firstfault diagnose docs/demo/eight-ranks.log"
    shown = _run([sys.executable, "-m", "firstfault", *command.split()[1:]])
    return f"```console\n$ {command}\n{shown}```\n"


def settings() -> str:
    """The settings of the VS Code extension, as its manifest has them."""
    manifest = json.loads((ROOT / "package.json").read_text("utf-8"))
    known: dict[str, dict[str, Any]] = manifest["contributes"]["configuration"]["properties"]
    rows = ["| setting | default | what it does |", "|---|---|---|"]
    for name, one in sorted(known.items(), key=lambda item: item[1]["order"]):
        choices = " One of " + ", ".join(f"`{c}`" for c in one["enum"]) + "." if "enum" in one else ""
        about = f"{one['markdownDescription']}{choices}".replace("|", "\\|")
        rows.append(f"| `{name}` | `{json.dumps(one['default'])}` | {about} |")
    return "\n" + "\n".join(rows) + "\n\n"


def accuracy() -> str:
    """The table of `make accuracy`."""
    return f"```\n{_run([sys.executable, '-m', 'tests.accuracy'])}```\n"


def _run(command: list[str]) -> str:
    environment = {**os.environ, "COLUMNS": "110", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return "\n".join(line.rstrip() for line in done.stdout.rstrip().splitlines()) + "\n"


if __name__ == "__main__":
    sys.exit(main())
