"""Places where structure may begin, whatever the catalogue knows: hyperscan patterns over raw bytes."""

from __future__ import annotations

from firstfault.scan.prefilter import Trigger

TRIGGERS: tuple[Trigger, ...] = (
    Trigger("traceback", r"Traceback \(most recent call (last|first)\)"),
    Trigger("exception", r"[a-z](Error|Exception|Interrupt|Timeout|NotFound|Failure)(\[[^\]\n]{0,40}\]|\([^)\n]{0,40}\))?(: |:?\r?$)"),
    Trigger("exception", r"^(SystemExit|StopIteration|KeyboardInterrupt)(: |\r?$)"),
    Trigger("terminate", r"terminate called after throwing"),
    Trigger("native", r"Fatal Python error: |\bSegmentation fault|\bBus error|\bIllegal instruction|\(core dumped\)|\*\*\* SIG[A-Z]+ received"),
    Trigger("native", r"panicked at |^panic: |^goroutine \d+ \[running\]|Exception in thread |free\(\): |double free or corruption|stack smashing detected"),
    Trigger("native", r"Assertion .{1,300} failed|Caught signal \d+|Process received signal|A fatal error has been detected by the Java"),
    Trigger("exit", r"\(exitcode: |closing signal SIG|forcefully exiting via SIG|via signal SIG|terminated with (signal|exit code|code|the following|status)"),
    Trigger("exit", r"Killing subprocess \d|exits with return code|^srun: error: |^\s*srun: error: |exited on signal|ssh exited with exit code|^\s*Process name: |^\s*Exit code: |MPI_ABORT was invoked"),
    Trigger("exit", r"KILLED BY SIGNAL|BAD TERMINATION|PID \d+ RUNNING AT|command terminated with|exited with (exit )?(code|status)|[Ee]xit ?[Cc]ode[\"']?[:=] ?\d"),
    Trigger("exit", r"\b(Killed|Terminated|Aborted|Hangup)\b.{0,80}$"),
    Trigger("exit", r"([Ee]xit|[Rr]eturn)(ed)?[ _]?(code|status|value)? ?(=|:|is|with)? ?-?\d{1,3}\.?\s?$"),
    Trigger("exit", r"^make(\[\d+\])?: \*\*\* |(died with|killed by|received) (<Signals\.)?SIG[A-Z]+"),
    Trigger("summary", r"^.{0,60}Root Cause \(first observed failure\)|^.{0,80}(Failures:|Root Cause:)\s*$"),
    Trigger("section", r"^==> .{1,200} <==\s*$|^[-=#]{3,} ?[A-Za-z][\w.-]*:/\S{1,200} ?[-=#]{3,}\s*$"),
    Trigger("node", r"^\s*Node: +[\w.-]+/\d|Successfully assigned \S+ to \S"),
    Trigger("world", r"(world[_ ]size|WORLD_SIZE|nranks|num_processes|dist_world_size|MEMBER)[=: ]{1,3}\d|rank \d+ of \d+|nnodes=\d"),
)
"""Case-sensitive, multi-line: ^ and $ are line ends."""
