"""Small logs with one plain answer each."""

from __future__ import annotations

FAILED = """\
[rank0]: 2026-12-01 10:00:00,100 INFO step 1 loss 2.13
[rank1]: 2026-12-01 10:00:00,100 INFO step 1 loss 2.13
[rank1]: Traceback (most recent call last):
[rank1]:   File "/workspace/train.py", line 88, in <module>
[rank1]:     main()
[rank1]:   File "/workspace/train.py", line 61, in main
[rank1]:     loss = model(batch["input_ids"])
[rank1]: KeyError: 'input_ids'
"""

TIMED_OUT = """\
[rank0]:[E1201 10:10:05.000000000 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: \
WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 milliseconds before timing out.
"""

HEALTHY = """\
2026-12-01 10:00:10,000 INFO step 1 loss 2.2 errors=0
2026-12-01 10:00:12,000 INFO training finished
"""
