"""Logs as small as a question allows."""

from __future__ import annotations


def watchdog(rank: int, second: int = 5) -> str:
    return (
        f"[rank{rank}]:[E1201 10:10:{second:02d}.000000000 ProcessGroupNCCL.cpp:629] [Rank {rank}] "
        "Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 milliseconds before timing out.\n"
    )


def traceback(error: str, prefix: str = "", line: int = 61) -> str:
    lines = [
        "Traceback (most recent call last):",
        '  File "/workspace/train.py", line 88, in <module>',
        "    main()",
        f'  File "/workspace/train.py", line {line}, in main',
        "    step(batch)",
        *error.split("\n"),
    ]
    return "".join(f"{prefix}{text}\n" for text in lines)


def steps(count: int = 20, prefix: str = "", start: int = 0) -> str:
    return "".join(f"{prefix}2026-12-01 10:00:{(start + n) % 60:02d},000 INFO step {start + n} loss 2.1\n" for n in range(count))


def summary(*failures: tuple[int, int], root: int, host: str = "node1") -> str:
    """torchrun's own block: (rank, exit code) of each failed process, and the rank that it calls the root cause."""

    def item(number: int, rank: int, code: int) -> str:
        return (
            f"[{number}]:\n  time      : 2026-12-01_10:10:09\n  host      : {host}\n  rank      : {rank} (local_rank: {rank})\n"
            f"  exitcode  : {code} (pid: {4000 + rank})\n  error_file: <N/A>\n  traceback : x\n"
        )

    others = "".join(item(n, r, c) for n, (r, c) in enumerate(failures, 1) if r != root) or "  <NO_OTHER_FAILURES>\n"
    code = dict(failures)[root]
    return (
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\n" + "=" * 60 + "\ntrain.py FAILED\n" + "-" * 60 + "\n"
        f"Failures:\n{others}" + "-" * 60 + "\nRoot Cause (first observed failure):\n" + item(0, root, code) + "=" * 60 + "\n"
    )
