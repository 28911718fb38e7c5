"""Writes a big training log: eight ranks, steps, warnings, NCCL chatter and data loading, and one failure at its end."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

_CHATTER = (
    "[rank{rank}]:W1201 {time}.{ms:03d}000 {pid} torch/_logging/_internal.py:1089] [{step}/0] Profiler is not initialized: skipping step() invocation",
    "node{node}:{pid}:{pid} [{rank}] NCCL INFO Channel 0{rank}/0 : {rank}[{rank}] -> 0[0] via P2P/CUMEM/read",
    "node{node}:{pid}:{pid} [{rank}] NCCL INFO comm 0x55d0c{ms:03d} rank {rank} nranks 8 cudaDev {rank} busId {pid:x} - Init COMPLETE",
    "2026-12-01 {time},{ms:03d} WARNING [rank {rank}] data: shard {step} has {ms} records with empty text, kept",
    "2026-12-01 {time},{ms:03d} INFO [rank {rank}] checkpoint: saved step {step} in {ms} ms, 0 errors",
    "Epoch {node}:  {pct:2d}%|{bar:<10}| {step}/200000 [00:{node:02d}<01:00, 12.3it/s, loss=2.{ms:03d}]",
)
_STEP = "2026-12-01 {time},{ms:03d} INFO [rank {rank}] train: step {step} loss 2.{ms:03d} grad_norm 0.{ms:03d} lr 3.0e-04 tokens/s {pid} error_rate=0.0{node}"
_END = (
    "[rank5]: Traceback (most recent call last):",
    '[rank5]:   File "/workspace/train.py", line 212, in forward',
    "[rank5]:     return self.model(batch)",
    "[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.40 GiB. GPU 5 has a total capacity of 79.15 GiB of which 1.10 GiB is free.",
    "E1201 23:59:59.500000 4200 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 5 (pid: 4205) of binary: /usr/bin/python",
)


def write(path: Path, size: int) -> None:
    """Write a log of about `size` bytes; the same bytes for the same size."""
    with path.open("w", encoding="utf-8") as file:
        written = 0
        for block in _blocks():
            if written >= size:
                break
            file.write(block)
            written += len(block)
        file.write("\n".join(_END) + "\n")


def _blocks() -> Iterator[str]:
    rng = random.Random(7)
    step = 0
    while True:
        lines: list[str] = []
        for _ in range(2000):
            step += 1
            seconds = step // 40 % 86400
            values = {
                "rank": step % 8,
                "node": step % 4,
                "step": step // 8,
                "pid": 4200 + step % 8,
                "ms": rng.randrange(1000),
                "time": f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}",
                "pct": step % 100,
                "bar": "█" * (step % 10),
            }
            lines.append(_STEP.format(**values))
            if rng.random() < 0.08:
                lines.append(rng.choice(_CHATTER).format(**values))
        yield "\n".join(lines) + "\n"
