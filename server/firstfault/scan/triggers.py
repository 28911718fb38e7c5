"""Places where structure may begin, whatever the catalogue knows: hyperscan patterns over raw bytes."""

from __future__ import annotations

from firstfault.scan.prefilter import Trigger

_COLOURS = r"(\x1b\[[\d;]*m)*"


def _around_colours(trigger: Trigger) -> Trigger:
    """A trigger at the start or end of a line also holds where the line is coloured."""
    pattern = trigger.pattern
    if pattern.startswith("^"):
        pattern = f"^{_COLOURS}{pattern[1:]}"
    if pattern.endswith("$"):
        pattern = rf"{pattern[:-1]}{_COLOURS}\s*$"
    return trigger._replace(pattern=pattern)


_PLAIN: tuple[Trigger, ...] = (
    Trigger("traceback", r"Traceback \(most recent call "),
    Trigger("exception", r"[A-Za-z](Error|Exception|Interrupt|Timeout|NotFound|Failure)(: |:?\r?$|[(\[])"),
    Trigger("exception", r"^(SystemExit|StopIteration|KeyboardInterrupt)(: |\r?$)"),
    Trigger("terminate", r"terminate called after throwing"),
    *(Trigger("native", p) for p in (
        r"Fatal Python error: ", r"Segmentation fault", r"Bus error", r"Illegal instruction", r"\(core dumped\)", r"\*\*\* SIG", r"panicked at ", r"^panic: ",
        r"^goroutine \d+ \[running", r"Exception in thread ", r"free\(\): ", r"double free or corruption", r"stack smashing detected", r"malloc\(\): ", r"munmap_chunk\(\): ", r"corrupted (size|double-linked|unsorted)",
        r"Assertion ", r"Caught signal ", r"Process received signal", r"A fatal error has been detected",
    )),
    *(Trigger("exit", p) for p in (
        r"\(exitcode: ", r"closing signal SIG", r"forcefully exiting via SIG", r"via signal SIG", r"terminated with ", r"Killing subprocess \d", r"exits with return code",
        r"srun: error: ", r"exited on( signal|\s*$)", r"^signal \d+ \(", r"ssh exited with", r"Process name: ", r"Exit code: ", r"MPI_ABORT was invoked", r"KILLED BY SIGNAL", r"BAD TERMINATION",
        r" RUNNING AT ", r"exited with ", r"[Ee]xit ?[Cc]ode[\"']?[:=] *\d", r"Killed", r"Terminated", r"Aborted", r"Hangup",
        r"([Ee]xit|[Rr]eturn)(ed)?[ _]?(code|status|value) ?(=|:|is|with)? ?-?\d", r"[Ee]xit(ed)? ?[=:]? ?-?\d{1,3}\s?$", r"FAILED[ |]+\d{1,3}:\d", r"^make(\[\d+\])?: \*\*\* ", r"^zsh: ", r"^fish: Job ",
        r"(with|by|received) (<Signals\.)?SIG[A-Z]",
    )),
    Trigger("summary", r"Root Cause \(first observed failure\)"),
    Trigger("summary", r"(Failures:|Root Cause:)\s*$"),
    Trigger("section", r"^==> "),
    Trigger("section", r"^[-=#]{3,} ?[A-Za-z][\w.-]*:/"),
    Trigger("node", r"^\s*Node: +[\w.-]+/\d"),
    Trigger("node", r"Successfully assigned "),
    Trigger("restart", r"will restart worker group"),
    Trigger("restart", r"restart_count=[1-9]"),
    *(Trigger("world", p) for p in (
        r"world[_ ]size[=: ]{1,3}\d", r"WORLD_SIZE[=: ]{1,3}\d", r"nranks \d", r"num_processes[=: ]{1,3}\d", r"MEMBER: \d", r"[Rr]ank:? \d+( of |/)\d",
        r"pid=\d+\) (world_)?rank=\d", r"distributed init \(rank \d", r"initialized host .* as rank \d",
    )),
)  # fmt: skip

TRIGGERS: tuple[Trigger, ...] = tuple(map(_around_colours, _PLAIN))
"""Case-sensitive, multi-line: ^ and $ are line ends."""
