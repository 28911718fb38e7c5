"""Which engine finds our literals fastest: google-re2, hyperscan, ahocorasick-rs, on 200 MB of training log."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

from benchmarks.measure import best

_LOOP = """
import sys
path, literals = sys.argv[1], open(sys.argv[2], "rb").read().rstrip(b"\\n").split(b"\\n")
{setup}
count = 0
with open(path, "rb") as file:
    while block := file.read(4 << 20):
{scan}
print(count)
"""
_ENGINES = {
    "hyperscan": (
        "import hyperscan\n"
        "db = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)\n"
        "esc = lambda b: b''.join(b'\\\\x%02x' % c for c in b)\n"
        "db.compile(expressions=[esc(x) for x in literals], ids=list(range(len(literals))), flags=[hyperscan.HS_FLAG_CASELESS] * len(literals))\n"
        "hits = []",
        "db.scan(block, match_event_handler=lambda i, a, b, f, c: hits.append(i))\ncount = len(hits)",
    ),
    "google-re2": (
        "import re2\n"
        "o = re2.Options(); o.case_sensitive = False; o.encoding = re2.Options.Encoding.LATIN1; o.max_mem = 256 << 20; o.never_capture = True\n"
        "p = re2.compile(b'|'.join(re2.escape(x.decode()).encode() for x in literals), o)",
        "count += sum(1 for _ in p.finditer(block))",
    ),
    "ahocorasick-rs": (
        "import ahocorasick_rs as a\np = a.BytesAhoCorasick([x.lower() for x in literals], implementation=a.Implementation.DFA)",
        "count += len(p.find_matches_as_indexes(block.lower()))",
    ),
}


def compare(log: Path, literals: Path, scratch: Path) -> list[str]:
    """One line for each engine that is installed."""
    lines: list[str] = []
    for name, (setup, scan) in _ENGINES.items():
        module = {"google-re2": "re2", "ahocorasick-rs": "ahocorasick_rs"}.get(name, name)
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode:
            lines.append(f"{name:<16} not installed (pip install {name})")
            continue
        program = scratch / f"engine_{re.sub(r'[^a-z0-9]', '_', name)}.py"
        program.write_text(_LOOP.format(setup=setup, scan=textwrap.indent(scan, "        ")))
        taken = best([sys.executable, str(program), str(log), str(literals)], 3)
        lines.append(
            f"{name:<16} {log.stat().st_size / 1e6 / (taken.user + taken.system):6.0f} MB/s as a whole process, {taken.memory:4.0f} MiB"
        )
    return lines
