"""Flight-recorder dumps as PyTorch writes them, made small."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

FRAMES = [
    {"name": "all_reduce", "filename": "/opt/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py", "line": 3245},
    {"name": "train_step", "filename": "/workspace/train.py", "line": 200},
    {"name": "<module>", "filename": "/workspace/train.py", "line": 360},
]
GROUP = ("0", "default_pg")


def entry(seq: int, op: str = "all_reduce", state: str | None = "completed", **changes: Any) -> dict[str, Any]:
    """One entry of NCCL's recorder."""
    known: dict[str, Any] = {
        "record_id": seq,
        "pg_id": 0,
        "process_group": GROUP,
        "collective_seq_id": seq,
        "p2p_seq_id": 0,
        "op_id": seq,
        "profiling_name": f"nccl:{op}",
        "time_created_ns": 1796119200_000_000_000 + seq * 1_000_000_000,
        "input_sizes": [[8, 4]],
        "input_dtypes": ["Float"],
        "output_sizes": [[8, 4]],
        "output_dtypes": ["Float"],
        "state": state,
        "is_p2p": False,
        "retired": state == "completed",
        "timeout_ms": 600000,
        "frames": FRAMES,
    }
    return {**known, **changes}


def dump(entries: Sequence[dict[str, Any]], *, world: int = 4, completed: int | None = None, **changes: Any) -> dict[str, Any]:
    """What one process dumps."""
    seqs = [e["collective_seq_id"] for e in entries]
    done = [e["collective_seq_id"] for e in entries if e["state"] == "completed"]
    status = {
        "last_enqueued_collective": max(seqs, default=-1),
        "last_started_collective": max(seqs, default=-1),
        "last_completed_collective": completed if completed is not None else max(done, default=-1),
    }
    known: dict[str, Any] = {
        "version": "2.10",
        "nccl_version": "2.27.5",
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(range(world)))}},
        "pg_status": {"0": status},
        "entries": list(entries),
    }
    return {**known, **changes}


def pickled(known: object) -> bytes:
    """As the recorder writes it."""
    return pickle.dumps(known, protocol=2)
