"""How the language server compares with what it is built on: `python -m benchmarks.lsp`. All figures are ratios on this machine."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lsprotocol import types

from firstfault.engine import Engine
from firstfault.lsp.analysis import Analysis, analyse
from firstfault.lsp.hover import hover
from firstfault.lsp.lines import Lines
from firstfault.lsp.settings import Settings

ROOT = Path(__file__).parents[1]
FAILURE = ROOT / "tests" / "cases" / "infra" / "ecc-rank12-collateral-watchdogs" / "log.txt"
MEGABYTE = 1_000_000
SERVE = [sys.executable, "-m", "firstfault", "serve"]
BARE = [
    *(sys.executable, "-c"),
    "from pygls.lsp.server import LanguageServer; LanguageServer('bare', '1').start_io()",
]


def healthy(chance: random.Random) -> Iterator[str]:
    """Lines of a training run: steps, progress bars, what NCCL prints, warnings."""
    number = 0
    while True:
        number += 1
        rank = number % 8
        yield chance.choice(
            (
                f"[rank{rank}]: 2026-12-01 10:{number // 60 % 60:02d}:{number % 60:02d},123 INFO step {number} loss=2.{number % 997:03d} lr=3e-4\n",
                f"node1:{1000 + rank}:{2000 + rank} [{rank}] NCCL INFO Channel {number % 16:02d}/0 : {rank}[{rank}] -> 0[0] via P2P/IPC\n",
                f"step {number}/100000: {number % 100}%|#####     | {number}/100000 [00:12<10:02,  3.1it/s, loss=2.1]\n",
                f"W1201 10:00:{number % 60:02d}.123 torch/_compat.py:12] timeout=1800, 0 errors, error_rate=0.0{number % 10}\n",
            )
        )


def log_of(size: int) -> str:
    """A log of about a size, that ends with a failure of one rank among sixteen."""
    out: list[str] = []
    for line in healthy(random.Random(1)):
        if size <= 0:
            break
        out.append(line)
        size -= len(line)
    return "".join(out) + FAILURE.read_text("utf-8")


def best(work: Callable[[], object], times: int = 7) -> float:
    """Seconds of the quickest of several runs."""
    found: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


class Client:
    """The least that speaks the protocol, so that the client costs next to nothing."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._number = 0

    def send(self, method: str, params: object, *, number: int | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        self.write(encoded(message if number is None else {**message, "id": number}))

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def request(self, method: str, params: object) -> Any:
        self._number += 1
        self.send(method, params, number=self._number)
        return self.until(lambda m: m.get("id") == self._number and "method" not in m)

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        assert self.process.stdout is not None
        while True:
            length = 0
            while (line := self.process.stdout.readline()).strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            message = json.loads(self.process.stdout.read(length))
            if wanted(message):
                return message

    def initialize(self) -> None:
        self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.send("initialized", {})

    def leave(self) -> None:
        self.request("shutdown", None)
        self.send("exit", None)
        self.process.wait(20)


def encoded(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def started(command: list[str]) -> None:
    client = Client(command)
    client.initialize()
    client.leave()


def start_ratio() -> float:
    """Start to `initialized` against a pygls server that does nothing."""
    pairs = [(best(lambda: started(SERVE), 1), best(lambda: started(BARE), 1)) for _ in range(5)]
    return min(p[0] for p in pairs) / min(p[1] for p in pairs)


def open_ratio(engine: Engine, text: str) -> float:
    """From the arrival of `didOpen` to the diagnostics, against the core on the same file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "run.log")
        path.write_text(text, "utf-8")
        core = best(lambda: engine.diagnose([str(path)], jobs=1))
    client = Client(SERVE)
    client.initialize()
    client.request("firstfault/diagnose", {"text": FAILURE.read_text("utf-8")})
    found: list[float] = []
    for number in range(5):
        uri = f"untitled:{number}.log"
        message = encoded(
            {
                "jsonrpc": "2.0",
                "method": "textDocument/didOpen",
                "params": {"textDocument": {"uri": uri, "languageId": "log", "version": 1, "text": text}},
            }
        )
        start = time.perf_counter()
        client.write(message)
        client.until(lambda m, uri=uri: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri)
        found.append(time.perf_counter() - start)
        client.send("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.leave()
    return min(found) / core


def typed_share(engine: Engine, text: str, line: Callable[[int], int]) -> float:
    """One typed character, in the process, against the full scan of the same text."""
    lines = Lines.of(text)

    def diagnosed(given: Lines, earlier: Analysis | None) -> Analysis:
        return analyse(engine, ("untitled:run.log", 1, "run.log", given, "utf-16"), frozenset(), earlier, lambda: False)

    full = best(lambda: diagnosed(Lines(lines.pieces), None))
    state = diagnosed(lines, None)
    place = (line(lines.count), 4)
    return best(lambda: diagnosed(lines.replaced(place, place, "x", "utf-16"), state), 15) / full


def hover_milliseconds(engine: Engine, text: str) -> float:
    """A hover on the first fault."""
    found = analyse(engine, ("untitled:run.log", 1, "run.log", Lines.of(text), "utf-16"), frozenset(), None, lambda: False).diagnosed
    assert found is not None
    first = found.report.incidents[0].initiator.line
    assert first is not None
    place = types.Position(found.lines.place_of(first), 3)
    return 1000 * best(lambda: hover(found, place, Settings()), 30)


def stream_growth(size: int) -> float:
    """Megabytes that a server needs more for a long terminal stream than idle."""
    client = Client(SERVE)
    client.initialize()
    client.request("firstfault/diagnose", {"text": FAILURE.read_text("utf-8")})
    idle = peak(client.process.pid)
    client.request("firstfault/stream/open", {"id": "1"})
    chunk = log_of(MEGABYTE // 4)
    for _ in range(size // len(chunk)):
        client.send("firstfault/stream/append", {"id": "1", "text": chunk})
    client.request("firstfault/stream/close", {"id": "1", "exitCode": 1})
    grown = peak(client.process.pid) - idle
    client.leave()
    return grown


def peak(process: int) -> float:
    """The most memory that a process ever had, in megabytes."""
    status = Path(f"/proc/{process}/status").read_text("ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def main() -> int:
    """Print every figure beside its aim."""
    os.environ.setdefault("PYTHONPATH", str(ROOT / "server"))
    engine = Engine()
    text = log_of(10 * MEGABYTE)
    rows = [
        ("start to initialized / bare pygls server", start_ratio(), "x", "-"),
        ("10 MB log, didOpen to diagnostics / core on the file", open_ratio(engine, text), "x", "<= 1.3"),
        ("one typed character in the middle / full scan", 100 * typed_share(engine, text, lambda n: n // 2), "%", "<= 2"),
        ("one typed character near the end / full scan", 100 * typed_share(engine, text, lambda n: n - 500), "%", "<= 2"),
        ("hover in process", hover_milliseconds(engine, text), "ms", "<= 5"),
    ]
    if sys.platform == "linux":
        rows.append(("100 MB terminal stream over idle", stream_growth(100 * MEGABYTE), "MB", "<= 40"))
    for name, value, unit, aim in rows:
        print(f"{name:<56}{value:>8.2f} {unit:<3} aim {aim}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
