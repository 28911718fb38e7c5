"""Runs the benchmarks and prints ratios: `python -m benchmarks [scan] [start] [engines]`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
from pathlib import Path

from benchmarks import engines, training_log
from benchmarks.measure import best
from firstfault.catalog.compiled import load

DATA = Path(__file__).parent / "data"
SHORT_LOG = Path(__file__).parent.parent / "tests/cases/everyday/export-data-dependent-guard/log.txt"


def _command() -> list[str]:
    script = Path(sys.executable).with_name("firstfault")
    return [str(script)] if script.exists() else [sys.executable, "-m", "firstfault"]


def _log(megabytes: int) -> Path:
    path = DATA / f"training-{megabytes}.log"
    if not path.exists():
        training_log.write(path, megabytes * 1_000_000)
    return path


def _literals() -> Path:
    catalog = load()
    literals = {p.near.lower() for s in catalog.signatures for p in s.patterns} | {p.near.lower() for p in catalog.table_patterns}
    path = DATA / "literals.txt"
    path.write_text("\n".join(sorted(literals)) + "\n", encoding="utf-8")
    return path


def scan() -> None:
    """A log of 1 GB against ripgrep with the same literals."""
    log, literals = _log(1000), _literals()
    own = best([*_command(), "diagnose", str(log)], 3, good=(1,))
    print(f"1 GB training log: {own.user:.2f} s user, {own.wall:.2f} s wall, {own.memory:.0f} MiB peak")
    if shutil.which("rg") is None:
        print("ripgrep is not installed: no ratio")
        return
    other = best(["rg", "-i", "-F", "-c", "-f", str(literals), str(log)], 3)
    print(
        f"ripgrep -i -F -c, same {sum(1 for _ in literals.open())} literals: {other.user:.2f} s user -> ratio {own.user / other.user:.2f} (user time)"
    )


def start() -> None:
    """A 200-line log against `denpex diagnose-local`."""
    own = best([*_command(), "diagnose", str(SHORT_LOG)], 10, good=(1,))
    print(f"{sum(1 for _ in SHORT_LOG.open(errors='replace'))}-line log: {own.wall:.3f} s wall, {own.user:.3f} s user")
    folder = DATA / "denpex"
    tool = folder / "bin" / "denpex"
    if not tool.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([str(folder / "bin" / "pip"), "install", "--quiet", "denpex"], check=True)
    other = best([str(tool), "diagnose-local", str(SHORT_LOG)], 5, good=(0, 1))
    print(f"denpex diagnose-local, same log: {other.wall:.3f} s wall -> 1/{other.wall / own.wall:.1f} of its time")


def compare_engines() -> None:
    """Literal engines on 200 MB."""
    for line in engines.compare(_log(200), _literals(), DATA):
        print(line)


def main() -> int:
    """Run all benchmarks, or those named."""
    DATA.mkdir(exist_ok=True)
    known = {"scan": scan, "start": start, "engines": compare_engines}
    for name in sys.argv[1:] or known:
        if name not in known:
            print(f"no such benchmark: {name}; known are {', '.join(known)}", file=sys.stderr)
            return 2
        known[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
