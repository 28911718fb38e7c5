"""A small data-parallel training program in which one rank can be given a fault; it runs under any launcher that sets ranks.

It stands alone: the lab starts it with an interpreter that has PyTorch and knows nothing of Firstfault.
"""

from __future__ import annotations

import argparse
import logging
import os
import time
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import torch
import torch._dynamo  # DistributedDataParallel and the optimizers import it late, for seconds that count as waiting in a collective
import torch.distributed as dist
import torch.multiprocessing as mp
from faults import FAULTS, Fault, Sample
from torch import nn
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("train")

BATCH = 8
FEATURES = 16
CLASSES = 4
CHECKPOINT_EVERY = 2
START_TIMEOUT = timedelta(seconds=300)
"""Longer than that of training: on a busy machine the interpreters of one run start far apart."""


@dataclass(frozen=True)
class Place:
    """Which process of the run this is."""

    rank: int
    world: int


def place_from_launcher() -> Place:
    """Rank and world size as torchrun and accelerate, or else Open MPI, hand them down."""
    names = ("RANK", "WORLD_SIZE") if "RANK" in os.environ else ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
    rank, world = (int(os.environ[name]) for name in names)
    return Place(rank, world)


class Records(Dataset[Sample]):
    """Random inputs with random labels; a fault may spoil or withhold them."""

    def __init__(self, size: int, fault: Fault) -> None:
        chance = torch.Generator().manual_seed(7)
        self.inputs = torch.randn(size, FEATURES, generator=chance)
        self.labels = torch.randint(CLASSES, (size,), generator=chance)
        self.fault = fault

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: int) -> Sample:
        return self.fault.sample(index // BATCH, {"input": self.inputs[index], "label": self.labels[index]})


class Trainer:
    """The loop of one rank."""

    def __init__(self, place: Place, arguments: argparse.Namespace, fault: Fault) -> None:
        self.place, self.fault, self.checkpoints = place, fault, Path(arguments.checkpoints)
        records = Records(fault.batches(arguments.steps) * BATCH, fault)
        self.batches: DataLoader[Sample] = DataLoader(records, batch_size=BATCH, num_workers=fault.loader_workers)
        layers = nn.Sequential(nn.Linear(FEATURES, 32), nn.ReLU(), nn.Linear(32, CLASSES))
        self.parameters = list(layers.parameters())
        self.wrapped = not arguments.without_ddp
        self.model = DistributedDataParallel(layers) if self.wrapped else layers
        self.optimizer = torch.optim.SGD(self.parameters, lr=0.1)

    def train(self) -> None:
        """Go through all batches of this rank."""
        done, waiting_since = 0, time.monotonic()
        for step, batch in enumerate(self.batches):
            data_seconds = time.monotonic() - waiting_since
            self.fault.before_step(step)
            log.info("step %d loss %.4f (data %.2f s)", step, self.train_step(batch), data_seconds)
            done += 1
            if done % CHECKPOINT_EVERY == 0:
                self.save_checkpoint(step)
            waiting_since = time.monotonic()
        log.info("training finished after %d steps", done)

    def train_step(self, batch: Sample) -> float:
        """One update; the loss returned is the mean over all ranks."""
        loss = nn.functional.cross_entropy(self.model(batch["input"]), batch["label"])
        self.optimizer.zero_grad()
        loss.backward()
        if not self.wrapped:
            self.average_gradients()
        self.optimizer.step()
        return self.mean_over_ranks(loss.detach())

    def average_gradients(self) -> None:
        """What DistributedDataParallel does by itself."""
        for parameter in self.parameters:
            dist.all_reduce(parameter.grad)
            parameter.grad /= self.place.world

    def mean_over_ranks(self, loss: torch.Tensor) -> float:
        statistics = self.fault.statistics(torch.stack([loss, torch.ones(())]))
        dist.all_reduce(statistics)
        return float(statistics[0] / statistics[1])

    def save_checkpoint(self, step: int) -> None:
        """Rank 0 writes; the others wait for it."""
        if self.place.rank == 0:
            path = self.fault.checkpoint(self.checkpoints / f"step{step}.pt")
            torch.save({"step": step, "model": self.model.state_dict()}, path)
            log.info("saved checkpoint %s", path.name)
        dist.barrier()


def join(place: Place, timeout: timedelta) -> None:
    """Make the process group once every rank is there, so that only training is under its short time-out."""
    shared, _, _ = next(rendezvous("env://", place.rank, place.world, timeout=START_TIMEOUT))
    # torchrun keeps the store when it starts the ranks again; what the attempt before left there is not for this one.
    store = dist.PrefixStore(f"attempt {os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}", shared)
    store.set(f"started/{place.rank}", "")
    store.wait([f"started/{rank}" for rank in range(place.world)], START_TIMEOUT)
    dist.init_process_group("gloo", store=store, rank=place.rank, world_size=place.world, timeout=timeout)


def run(place: Place, arguments: argparse.Namespace) -> None:
    """What every rank does, whichever way it was started."""
    logging.basicConfig(level=logging.INFO, format=f"[%(asctime)s] [%(levelname)s] [rank {place.rank}] %(message)s", force=True)
    torch.set_num_threads(1)
    chosen = FAULTS[arguments.fault] if place.rank == arguments.at_rank else Fault
    join(place, timedelta(seconds=arguments.timeout))
    log.info("process group of %d ranks is ready", place.world)
    Trainer(place, arguments, chosen(arguments.at_step, arguments.timeout)).train()
    dist.destroy_process_group()


def run_spawned(rank: int, arguments: argparse.Namespace) -> None:
    """The entry of a process started by `torch.multiprocessing.spawn`."""
    run(Place(rank, arguments.spawn), arguments)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", choices=sorted(FAULTS), default="none")
    parser.add_argument("--at-rank", type=int, default=0)
    parser.add_argument("--at-step", type=int, default=3)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--timeout", type=float, default=120, help="seconds after which a collective is given up")
    parser.add_argument("--spawn", type=int, default=0, metavar="N", help="start N processes by torch.multiprocessing.spawn")
    parser.add_argument("--without-ddp", action="store_true", help="average gradients by hand")
    parser.add_argument("--checkpoints", default=".")
    arguments = parser.parse_args()
    if arguments.spawn:
        mp.spawn(run_spawned, args=(arguments,), nprocs=arguments.spawn)
    else:
        run(place_from_launcher(), arguments)


if __name__ == "__main__":
    main()
