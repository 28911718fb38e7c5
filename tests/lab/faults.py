"""The faults that `train.py` can be given: each overrides the one place of the training loop where it happens."""

from __future__ import annotations

import ctypes
import logging
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

import torch

Sample = dict[str, torch.Tensor]

log = logging.getLogger("train")

FULL_DEVICE = Path("/dev/full")
"""The kernel's own file on which every write fails with ENOSPC; a full disk for which nobody has to be root."""


SPARE_BYTES = 128 * 1024 * 1024


class Fault:
    """No fault: every hook lets training go on."""

    loader_workers = 0

    def __init__(self, at_step: int, timeout: float) -> None:
        self.at_step, self.timeout = at_step, timeout

    def batches(self, planned: int) -> int:
        """How many batches this rank has."""
        return planned

    def sample(self, step: int, sample: Sample) -> Sample:
        """One record, as it is loaded for a step."""
        return sample

    def before_step(self, step: int) -> None:
        """The moment before the forward pass."""

    def statistics(self, values: torch.Tensor) -> torch.Tensor:
        """The numbers that all ranks add up after each step."""
        return values

    def checkpoint(self, path: Path) -> Path:
        """Where a checkpoint goes."""
        return path


class AtStep(Fault):
    """Something that happens once, before the forward pass."""

    def before_step(self, step: int) -> None:
        if step == self.at_step:
            self.happen()

    def happen(self) -> None:
        raise NotImplementedError


class MissingLabel(Fault):
    """Records without a label, so that the program itself raises KeyError."""

    def sample(self, step: int, sample: Sample) -> Sample:
        return {"input": sample["input"]} if step == self.at_step else sample


class Exit(AtStep):
    def happen(self) -> None:
        sys.exit(3)


class Leave(AtStep):
    """A rank that takes itself for finished, and says so to nobody."""

    def happen(self) -> None:
        sys.exit(0)


class AbruptExit(AtStep):
    def happen(self) -> None:
        os._exit(7)


class MemoryLimit(AtStep):
    """More memory than the process may have, as under `ulimit -v`."""

    def happen(self) -> None:
        in_use = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (in_use + SPARE_BYTES, resource.RLIM_INFINITY))
        torch.empty(SPARE_BYTES * 16, dtype=torch.uint8)


class Kill(AtStep):
    def happen(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Segfault(AtStep):
    def happen(self) -> None:
        ctypes.string_at(0)


class Slow(AtStep):
    """Slower than the others wait, and than their launcher takes to end the run on a busy machine."""

    def happen(self) -> None:
        time.sleep(self.timeout * 6)


class CaughtError(AtStep):
    """An error with a traceback in the log that the program survives."""

    def happen(self) -> None:
        try:
            raise ValueError("record 25 is damaged")
        except ValueError:
            log.exception("skipping a damaged record")


class HangInLoading(Fault):
    def sample(self, step: int, sample: Sample) -> Sample:
        if step == self.at_step:
            time.sleep(3600)
        return sample


class KilledWorker(Fault):
    """The DataLoader's worker process is killed as the out-of-memory killer does it."""

    loader_workers = 1

    def sample(self, step: int, sample: Sample) -> Sample:
        if step == self.at_step:
            os.kill(os.getpid(), signal.SIGKILL)
        return sample


class Uneven(Fault):
    def batches(self, planned: int) -> int:
        return self.at_step


class OtherShape(Fault):
    """A tensor of another size than the other ranks have, in the same collective."""

    calls = 0

    def statistics(self, values: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return torch.cat([values, values]) if self.calls > self.at_step else values


class SavingThread(Fault):
    """A thread that saves in the background fails, and the program waits for its word for ever."""

    def checkpoint(self, path: Path) -> Path:
        done = threading.Event()

        def save() -> None:
            FULL_DEVICE.write_text("state")
            done.set()

        threading.Thread(target=save, name="checkpoint").start()
        done.wait()
        return path


class FullDisk(Fault):
    def checkpoint(self, path: Path) -> Path:
        path.unlink(missing_ok=True)
        path.symlink_to(FULL_DEVICE)
        return path


FAULTS: dict[str, type[Fault]] = {
    "none": Fault,
    "exception": MissingLabel,
    "exit": Exit,
    "exit0": Leave,
    "memory_limit": MemoryLimit,
    "saving_thread": SavingThread,
    "os_exit": AbruptExit,
    "sigkill": Kill,
    "sigsegv": Segfault,
    "slow": Slow,
    "caught": CaughtError,
    "hang_loading": HangInLoading,
    "worker_killed": KilledWorker,
    "uneven": Uneven,
    "shape": OtherShape,
    "disk_full": FullDisk,
}
