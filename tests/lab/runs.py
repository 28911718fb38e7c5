"""The runs of the lab: which fault is put into which rank under which launcher, and what the diagnosis must say."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Variant:
    """A way in which a run may come out otherwise, since processes race, and what is right then."""

    when: str
    """A pattern for the text of the run; with `unless`, for what it lacks."""
    says: str
    """Empty where nobody can tell from that text: then the answer must be undetermined."""
    unless: bool = False

    def holds(self, text: str) -> bool:
        return (re.search(self.when, text) is None) == self.unless


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
    stopped_by: signal.Signals | None = None
    """Sent to the launcher once training runs; then nobody has failed, and no rank may be named."""
    variants: tuple[Variant, ...] = ()
    in_ci: bool = False
    """One of the dozen that continuous integration makes, for every launcher and every kind of answer."""
    wrong_today: str = ""
    """Why the diagnosis is known to be wrong; the test then fails as soon as it is right."""

    @property
    def name(self) -> str:
        return f"{self.launcher}-{self.stopped_by.name.lower() if self.stopped_by else self.fault}"

    @property
    def arguments(self) -> list[str]:
        return ["--fault", self.fault, "--at-rank", str(self.rank or 0), *self.more]

    def right_answer(self, text: str) -> str:
        """What the diagnosis of a run that wrote this text must say."""
        return next((variant.says for variant in self.variants if variant.holds(text)), self.says)


MISSING_LABEL = r"KeyError.*label"
KILLED = r"SIGKILL"
SEGFAULT = r"SIGSEGV|segmentation fault"
SILENT = r"collective/rank-stalled"
LEFT_EARLY = r"collective/rank-left-early"
EXIT_3 = r"exit ?code:? 3|status 3|code 3"
EXIT_7 = r"exit ?code:? 7|status 7|code 7"
STOPPED = r"launch/(?:interrupted|terminated-from-outside)"
FOR_LONG = ("--steps", "1000000")
DETAIL = {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}
# In PyTorch 2.13 for the CPU, DistributedDataParallel itself crashes under this setting.
WITHOUT_DDP = ("--without-ddp",)

WAITING = ("--timeout", "10")
"""The others give up a collective soon; elsewhere they wait long, so that a busy machine adds no time-out of its own."""

ABORT_AT_EXIT = "terminate called without an active exception"
"""Now and then PyTorch 2.13 aborts while an interpreter ends, whether or not the rank had a fault: a second fault that nobody asked for."""
ABORTED = r"SIGABRT|terminate"
WORKER_LOST = "data/dataloader-worker-connection-lost"

# An abort while the interpreter ends takes the place of the exit code that the program asked for.
ABORTS_INSTEAD = Variant(r"exitcode: -6\) local_rank: 2", ABORTED)
LEAVES_AND_ABORTS = Variant(r"exitcode: -6\) local_rank: 2", f"{LEFT_EARLY}|{ABORTED}")
# A launcher that sees the end of a peer first says nothing of the process that the peer lost.
ONLY_A_PEER = {pattern: Variant(pattern, "", unless=True) for pattern in ("KeyError", "SIGKILL", "signal 9")}
# The main process may come upon the broken socket of the worker before it hears of the worker's end; and where that word reaches it
# while it prints the error, Python 3.11 drops the last line of the traceback.
LOST_WHILE_PRINTED = Variant(r"lost sys\.stderr", "")
SOCKET_FIRST = Variant(r"DataLoader worker \(pid", WORKER_LOST, unless=True)
NO_SIGNAL_TOLD = Variant(r"is killed by signal", r"data/dataloader-worker-died", unless=True)

RUNS = (
    Run("torchrun", "none", in_ci=True),
    Run("torchrun", "caught", in_ci=True),
    Run("torchrun", "exception", rank=1, says=MISSING_LABEL, in_ci=True),
    Run("torchrun", "exit", rank=2, says=EXIT_3, variants=(ABORTS_INSTEAD,), in_ci=True),
    Run("torchrun", "os_exit", rank=1, says=EXIT_7),
    Run("torchrun", "sigkill", rank=2, says=KILLED, in_ci=True),
    Run("torchrun", "sigsegv", rank=1, says=SEGFAULT),
    Run("torchrun", "hang_loading", rank=2, says=SILENT, more=WAITING),
    Run("torchrun", "slow", rank=1, says=SILENT, more=WAITING),
    Run("torchrun", "uneven", rank=2, says=LEFT_EARLY, variants=(LEAVES_AND_ABORTS,), in_ci=True),
    Run("torchrun", "shape", rank=2, says=r"collective/mismatch", environment=DETAIL, more=WITHOUT_DDP),
    Run("torchrun", "disk_full", rank=0, says=r"storage/no-space-left"),
    Run(
        "torchrun",
        "worker_killed",
        rank=1,
        says=r"data/dataloader-worker-sigkill",
        variants=(LOST_WHILE_PRINTED, SOCKET_FIRST, NO_SIGNAL_TOLD),
        in_ci=True,
    ),
    Run("torchrun", "exit0", rank=2, says=LEFT_EARLY, variants=(LEAVES_AND_ABORTS,)),
    Run("torchrun", "memory_limit", rank=1, says=r"memory"),
    Run("torchrun", "saving_thread", rank=0, says=r"storage/no-space-left", more=WAITING),
    Run("torchrun", "none", says=STOPPED, stopped_by=signal.SIGTERM, more=FOR_LONG),
    Run("torchrun", "none", says=STOPPED, stopped_by=signal.SIGINT, more=FOR_LONG),
    Run("torchrun-restarts", "exception", rank=1, says=MISSING_LABEL),
    Run("torchrun-tee", "hang_loading", rank=1, says=SILENT, more=WAITING, in_ci=True),
    Run("torchrun-logdir", "exception", rank=2, says=MISSING_LABEL, in_ci=True),
    Run("torchrun-logdir", "hang_loading", rank=1, says=SILENT, more=WAITING),
    Run("spawn", "none"),
    Run("spawn", "exception", rank=1, says=MISSING_LABEL, variants=(ONLY_A_PEER["KeyError"],), in_ci=True),
    Run("spawn", "sigkill", rank=2, says=KILLED, variants=(ONLY_A_PEER["SIGKILL"],)),
    Run("mpirun", "exception", rank=1, says=MISSING_LABEL),
    Run("mpirun", "sigkill", rank=2, says=KILLED, variants=(ONLY_A_PEER["signal 9"],), in_ci=True),
    Run("accelerate", "exception", rank=1, says=MISSING_LABEL, in_ci=True),
    Run("accelerate", "hang_loading", rank=2, says=SILENT, more=WAITING),
)


@dataclass(frozen=True, slots=True)
class Rare:
    """A log that only few runs come out like, kept so that every change of the diagnosis meets it."""

    log: str
    """Its name in `rare/`."""
    rank: int | None
    says: str
    """Empty where the answer must be undetermined."""
    wrong_today: str = ""
    """As that of a run."""


RARE = (
    Rare("abort-after-peer-left.log", rank=2, says=LEFT_EARLY),
    Rare("abort-after-finishing.log", rank=1, says=ABORTED),
    Rare("slow-rank-arrives-late.log", rank=1, says=SILENT),
    Rare("spawn-lost-the-error.log", rank=None, says=""),
    Rare("worker-lost-by-its-socket.log", rank=0, says=WORKER_LOST),
    Rare("traceback-breaks-off.log", rank=0, says=""),
)
