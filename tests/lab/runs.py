"""The runs of the lab: which fault is put into which rank under which launcher, and what the diagnosis must say."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Run:
    """One run with its right answer."""

    launcher: str
    fault: str
    rank: int | None = None
    """The rank that gets the fault, and that the diagnosis must name; None where nothing fails."""
    says: str = ""
    """A pattern for signature, title or cause: the kind of the fault. Empty where no failure may be reported."""
    environment: dict[str, str] = field(default_factory=dict[str, str])
    more: tuple[str, ...] = ()
    """Further arguments of the training program."""
    only_with: str = ""
    """A text that the launcher may lose; without it nobody can tell, and the answer must be undetermined."""
    wrong_today: str = ""
    """Why the diagnosis is known to be wrong; the test then fails as soon as it is right."""

    @property
    def name(self) -> str:
        return f"{self.launcher}-{self.fault}"

    @property
    def arguments(self) -> list[str]:
        return ["--fault", self.fault, "--at-rank", str(self.rank or 0), *self.more]


MISSING_LABEL = r"KeyError.*label"
KILLED = r"SIGKILL"
SEGFAULT = r"SIGSEGV|segmentation fault"
SILENT = r"collective/rank-stalled"
LEFT_EARLY = r"collective/rank-left-early"
EXIT_3 = r"exit ?code:? 3|status 3|code 3"
EXIT_7 = r"exit ?code:? 7|status 7|code 7"
DETAIL = {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}
# In PyTorch 2.13 for the CPU, DistributedDataParallel itself crashes under this setting.
WITHOUT_DDP = ("--without-ddp",)

RUNS = (
    Run("torchrun", "none"),
    Run("torchrun", "caught"),
    Run("torchrun", "exception", rank=1, says=MISSING_LABEL),
    Run("torchrun", "exit", rank=2, says=EXIT_3),
    Run("torchrun", "os_exit", rank=1, says=EXIT_7),
    Run("torchrun", "sigkill", rank=2, says=KILLED),
    Run("torchrun", "sigsegv", rank=1, says=SEGFAULT),
    Run("torchrun", "hang_loading", rank=2, says=SILENT),
    Run("torchrun", "slow", rank=1, says=SILENT),
    Run("torchrun", "uneven", rank=2, says=LEFT_EARLY),
    Run("torchrun", "shape", rank=2, says=r"collective/mismatch", environment=DETAIL, more=WITHOUT_DDP),
    Run("torchrun", "disk_full", rank=0, says=r"storage/no-space-left"),
    Run("torchrun", "worker_killed", rank=1, says=r"data/dataloader-worker-sigkill"),
    Run("torchrun-tee", "hang_loading", rank=1, says=SILENT),
    Run("torchrun-logdir", "exception", rank=2, says=MISSING_LABEL),
    Run("torchrun-logdir", "hang_loading", rank=1, says=SILENT),
    Run("spawn", "none"),
    # It shows the error of the process that ends first, which may be a peer that only lost its connection.
    Run("spawn", "exception", rank=1, says=MISSING_LABEL, only_with="KeyError"),
    Run("spawn", "sigkill", rank=2, says=KILLED),
    Run("mpirun", "exception", rank=1, says=MISSING_LABEL),
    Run("mpirun", "sigkill", rank=2, says=KILLED),
    Run("accelerate", "exception", rank=1, says=MISSING_LABEL),
    Run("accelerate", "hang_loading", rank=2, says=SILENT),
)


@dataclass(frozen=True, slots=True)
class Miss:
    """A log whose diagnosis is wrong today, kept because only few runs of its kind come out like it."""

    log: str
    """Its name in `misses/`."""
    rank: int | None
    says: str
    """Empty where the answer must be undetermined."""
    reason: str


ABORT_AT_EXIT = "terminate called without an active exception"
"""Now and then PyTorch 2.13 aborts while an interpreter ends, whether or not the rank had a fault: a second fault that nobody asked for."""

_TAKEN_FOR_THE_CAUSE = "an abort at the very end of a process that only lost its peer is taken for a fault of its own"

MISSES = (
    Miss("abort-after-peer-left.log", rank=2, says=LEFT_EARLY, reason=_TAKEN_FOR_THE_CAUSE),
    Miss(
        "abort-after-finishing.log",
        rank=1,
        says=r"SIGABRT|terminate",
        reason="an error that rank 0 caught and logged is taken for rank 1's",
    ),
    Miss(
        "slow-rank-arrives-late.log", rank=1, says=SILENT, reason="the rank that came after the others had timed out is not told from them"
    ),
    Miss("spawn-lost-the-error.log", rank=None, says="", reason=_TAKEN_FOR_THE_CAUSE),
)
