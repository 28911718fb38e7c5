"""Small logs, one for each kind of answer that a view has to show."""

from __future__ import annotations

ECC = """\
[rank0]: 2026-12-01 10:00:00,100 INFO step 41000 loss 2.13
[rank2]:[E1201 10:00:03.512000000 ProcessGroupNCCL.cpp:2057] [PG ID 0 PG GUID 0 Rank 2] Process group watchdog thread terminated \
with exception: CUDA error: uncorrectable ECC error encountered
[rank0]:[E1201 10:10:05.000000000 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)
[rank1]:[E1201 10:10:05.100000000 ProcessGroupNCCL.cpp:629] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)
[rank3]:[E1201 10:10:05.200000000 ProcessGroupNCCL.cpp:629] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)
"""

TIMEOUTS_ONLY = """\
[rank0]:[E1201 10:10:05.000000000 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)
[rank1]:[E1201 10:10:05.100000000 ProcessGroupNCCL.cpp:629] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)
"""

UNKNOWN = """\
loading shards
Traceback (most recent call last):
  File "/workspace/train.py", line 12, in <module>
    main()
  File "/workspace/train.py", line 8, in main
    vocab = load(**{"path": name})
ShardError: no shard for key 'wte.weight' @torch #12 in <index> of `model_a`
"""

CAUGHT = """\
2026-12-01 10:00:00,000 INFO start
2026-12-01 10:00:01,000 WARNING could not read the cache, building it
Traceback (most recent call last):
  File "/workspace/train.py", line 30, in read_cache
    return open(path).read()
FileNotFoundError: [Errno 2] No such file or directory: 'cache.bin'
2026-12-01 10:00:09,000 INFO cache built
2026-12-01 10:00:10,000 INFO step 1 loss 2.2
2026-12-01 10:00:11,000 INFO step 2 loss 2.1
2026-12-01 10:00:12,000 INFO training finished
"""

HEALTHY = """\
2026-12-01 10:00:10,000 INFO step 1 loss 2.2 errors=0
2026-12-01 10:00:12,000 INFO training finished
"""
