"""Short logs that the editor features are tried on."""

RANKS = """\
[rank0]: step 10 loss 2.31
[rank1]: step 10 loss 2.31
[rank1]: Traceback (most recent call last):
[rank1]:   File "/workspace/job/train.py", line 7, in <module>
[rank1]:     loss = net(x).pow(2).mean()
[rank1]:   File "/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1778, in _wrapped_call_impl
[rank1]:     return self._call_impl(*args, **kwargs)
[rank1]: RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. \
This error indicates that your module has parameters that were not used in producing loss.
[rank1]: Parameter indices which did not receive grad for rank 1: 4 5
W1201 03:44:09.176000 1 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 8 closing signal SIGTERM
E1201 03:44:09.208000 1 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1) \
local_rank: 1 (pid: 9) of binary: /opt/venv/bin/python3
"""
"""Rank 1 fails in line 8 (from 1); the launcher then ends the others."""

PROGRAM = """\
import torch
from torch.nn.parallel import DistributedDataParallel as DDP

net = DDP(build())
x = torch.randn(4, 8)
for step in range(100):
    loss = net(x).pow(2).mean()
    loss.backward()
"""
"""The program whose line 7 the traceback of RANKS quotes."""

HEALTHY = """\
step 1 loss 2.3
NVRM: Xid (PCI:0000:91:00): 94, pid=4123, Contained: SM (0x1)
job finished with exitcode: -9 for worker 3
NET/IB: Got completion with status=12 opcode=0 vendor_err=129
torch.distributed.DistBackendError: ncclRemoteError: A call failed
CUDA error 719 at kernel.cu:88
WorkNCCL(SeqNum=421987, OpType=ALLREDUCE, NumelIn=1)
MMU Fault: ENGINE GRAPHICS HUBCLIENT, Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ
export NCCL_IB_TIMEOUT=22 TORCH_NCCL_BLOCKING_WAIT=1
8123.0  train  gpu  root  64  NODE_FAIL  1:0
émoji 😀😀 then Xid 79 again
"""
"""Tokens that only experts can read; each line is tried alone."""
