"""Small runs of several processes, one for each kind of picture."""

from __future__ import annotations


def steps(rank: int, second: int = 0) -> str:
    return "".join(f"[rank{rank}]: 2026-12-01 10:00:{second + n:02d},{rank}00 INFO step {n} loss 2.1 world_size=4\n" for n in range(4))


def watchdog(rank: int, clock: str = "10:10:05") -> str:
    return (
        f"[rank{rank}]:[E1201 {clock}.{rank}00000000 ProcessGroupNCCL.cpp:629] [Rank {rank}] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 milliseconds before timing out.\n"
    )


def traceback(rank: int) -> str:
    lines = (
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 61, in main',
        '    loss = model(batch["input_ids"])',
        "KeyError: 'input_ids'",
    )
    return "".join(f"[rank{rank}]: {line}\n" for line in lines)


LOCAL_ERROR = "".join(steps(r) for r in range(4)) + traceback(2) + watchdog(0) + watchdog(1) + watchdog(3)
SILENT = "".join(steps(r) for r in range(4)) + watchdog(0) + watchdog(1) + watchdog(3)
ALONE = "2026-12-01 10:00:00,000 INFO step 1 loss 2.1\n" + traceback(0).replace("[rank0]: ", "")
HEALTHY = "".join(steps(r) for r in range(4)) + "2026-12-01 10:01:00,000 INFO training finished\n"
CAUGHT = (
    "[rank0]: 2026-12-01 10:00:00,000 WARNING could not read the cache, building it\n"
    + traceback(0)
    + "".join(steps(r, second=10 + 5 * r) for r in range(4))
    + "2026-12-01 10:01:00,000 INFO training finished\n"
)
