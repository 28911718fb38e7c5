import torch
from torch.nn.parallel import DistributedDataParallel as DDP

net = DDP(build())
x = torch.randn(4, 8)
for step in range(100):
    loss = net(x).pow(2).mean()
    loss.backward()
