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
    wrong_today: str = ""
    """Why the diagnosis is known to be wrong; the test then fails as soon as it is right."""

    @property
    def name(self) -> str:
        return f"{self.launcher}-{self.fault}"

    @property
    def arguments(self) -> list[str]:
        return ["--fault", self.fault, "--at-rank", str(self.rank or 0)]


MISSING_LABEL = r"KeyError.*label"
KILLED = r"SIGKILL"
SEGFAULT = r"SIGSEGV|segmentation fault"
SILENT = r"collective/rank-stalled"
LEFT_EARLY = r"collective/rank-left-early"
EXIT_3 = r"exit ?code:? 3|status 3|code 3"
EXIT_7 = r"exit ?code:? 7|status 7|code 7"
DETAIL = {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}

RUNS = (
    Run("torchrun", "none"),
    Run("torchrun", "caught", rank=None),
    Run("torchrun", "exception", rank=1, says=MISSING_LABEL),
    Run("torchrun", "exit", rank=2, says=EXIT_3),
    Run("torchrun", "os_exit", rank=1, says=EXIT_7),
    Run("torchrun", "sigkill", rank=2, says=KILLED),
    Run("torchrun", "sigsegv", rank=1, says=SEGFAULT),
    Run("torchrun", "hang_loading", rank=2, says=SILENT),
    Run("torchrun", "slow", rank=1, says=SILENT),
    Run("torchrun", "uneven", rank=2, says=LEFT_EARLY),
    Run("torchrun", "shape", rank=1, says=r"collective/mismatch", environment=DETAIL),
    Run("torchrun", "disk_full", rank=0, says=r"storage/no-space-left"),
    Run("torchrun", "worker_killed", rank=1, says=r"data/dataloader-worker-sigkill"),
    Run("torchrun-tee", "hang_loading", rank=1, says=SILENT),
    Run("torchrun-logdir", "exception", rank=2, says=MISSING_LABEL),
    Run("torchrun-logdir", "hang_loading", rank=1, says=SILENT),
    Run("spawn", "none"),
    Run("spawn", "exception", rank=1, says=MISSING_LABEL),
    Run("spawn", "sigkill", rank=2, says=KILLED),
    Run("mpirun", "exception", rank=1, says=MISSING_LABEL),
    Run("mpirun", "sigkill", rank=2, says=KILLED),
    Run("accelerate", "exception", rank=1, says=MISSING_LABEL),
    Run("accelerate", "hang_loading", rank=2, says=SILENT),
)
