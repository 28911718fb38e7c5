"""Reports of how processes ended: launchers, shells, schedulers, container engines."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from firstfault.lazy import Lazy
from firstfault.model import Line, ProcessExit
from firstfault.read import stamps

_SIGNALS = {
    "SIGHUP": 1, "SIGINT": 2, "SIGQUIT": 3, "SIGILL": 4, "SIGTRAP": 5, "SIGABRT": 6, "SIGBUS": 7, "SIGFPE": 8, "SIGKILL": 9, "SIGUSR1": 10,
    "SIGSEGV": 11, "SIGUSR2": 12, "SIGPIPE": 13, "SIGALRM": 14, "SIGTERM": 15, "SIGSTKFLT": 16, "SIGCONT": 18, "SIGSTOP": 19, "SIGTSTP": 20,
    "SIGXCPU": 24, "SIGXFSZ": 25, "SIGSYS": 31,
}  # fmt: skip
"""Numbers of Linux, where the logs come from, whatever this runs on."""
_WORDS = {
    "killed": -9, "terminated": -15, "segmentation fault": -11, "aborted": -6, "abort": -6, "illegal hardware instruction": -4, "bus error": -7, "illegal instruction": -4,
    "floating point exception": -8, "hangup": -1, "interrupt": -2,
}  # fmt: skip
_SHELL_SIGNALS = range(129, 160)
_WRAPPED_SIGNALS = range(241, 253)
"""256 - n for the signals 4 to 15: what is left of `sys.exit(-n)`."""


class ExitForm(NamedTuple):
    """One way to say that a process ended."""

    reporter: str
    pattern: str
    first: bool = False
    told: bool = False


FORMS: tuple[ExitForm, ...] = (
    ExitForm("torchrun", r"failed \(exitcode: (?P<code>-?\d+)\) local_rank: (?P<local_rank>\d+) \(pid: (?P<pid>\d+)\)"),
    ExitForm("torchrun", r"Sending process (?P<pid>\d+) closing signal (?P<signal>SIG\w+)", told=True),
    ExitForm("torchrun", r"Unable to shutdown process (?P<pid>\d+) via .*?, forcefully exiting via (?P<signal>SIG\w+)", told=True),
    ExitForm("mp.spawn", r"Terminating process (?P<pid>\d+) via signal (?P<signal>SIG\w+)", told=True),
    ExitForm("mp.spawn", r"^(?:[\w.]+\.)?ProcessExitedException: process (?P<rank>\d+) terminated with (?:signal (?P<signal>SIG\w+)|exit code (?P<code>\d+))", first=True),
    ExitForm("mp.spawn", r"^-- Process (?P<rank>\d+) terminated with the following error:", first=True),
    ExitForm("deepspeed", r"Killing subprocess (?P<pid>\d+)", told=True),
    ExitForm("deepspeed", r"exits with return code = (?P<code>-?\d+)"),
    ExitForm("pdsh", r"pdsh@[\w.-]+: (?P<host>[\w.-]+): ssh exited with exit code (?P<code>\d+)"),
    ExitForm("lightning", r"Child process with PID (?P<pid>\d+) terminated with code (?P<code>-?\d+)\.", first=True),
    ExitForm("srun", r"^srun: error: (?P<host>[\w.-]+): tasks? (?P<rank>\d+)(?P<more>[-,]\d[\d,-]*)?: (?:Exited with exit code (?P<code>\d+)|(?P<word>[A-Z][\w ]+?)(?: \(core dumped\))?$)"),
    ExitForm("mpirun", r"process rank (?P<rank>\d+) with PID (?P<pid>\d+) on node (?P<host>\S+) exited on signal (?P<number>\d+)", first=True),
    ExitForm("mpirun", r"process rank (?P<rank>\d+) with PID (?P<pid>\d+) on node (?P<host>\S+) exited on\s*$", first=True),
    ExitForm("mpirun", r"^signal (?P<number>\d+) \([A-Z][\w ,/-]*\)\.\s*$"),
    ExitForm("mpirun", r"^\s*Process name: \[(?:\[\d+,\d+\]|[\w@.-]+),\s?(?P<rank>\d+)\]", first=True),
    ExitForm("mpirun", r"^\s*Exit code:\s+(?P<code>\d+)"),
    ExitForm("mpirun", r"MPI_ABORT was invoked on rank (?P<rank>\d+) in communicator", first=True),
    ExitForm("mpich", r"KILLED BY SIGNAL: (?P<number>\d+)|BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"),
    ExitForm("mpich", r"RANK (?P<rank>\d+) PID (?P<pid>\d+) RUNNING AT (?P<host>\S+)", first=True),
    ExitForm("container", r"(?:command terminated with|exited with(?: exit)?|terminated with) (?:exit )?(?:code|status):? ?(?P<code>-?\d+)(?!\d)"),
    ExitForm("slurm", r"\bExitCode=(?P<code>\d+):(?P<number>(?!125\b)\d+)\b"),
    ExitForm("slurm", r"^\s*\d+(?:_\d+)?\.(?:\d+|batch)[\s|].*[\s|]FAILED[\s|]+(?P<code>\d{1,3}):(?P<number>(?!125\b)\d{1,3})(?:[\s|]|$)"),
    ExitForm("kubernetes", r"(?i)\bexit ?code[\"']?[:=] *(?P<code>\d+)(?![\d:])"),
    ExitForm("shell", r"^(?:\S+: line \d+: +)?(?P<pid>\d+) (?P<word>Killed|Terminated|Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception|Hangup)\b"),
    ExitForm("shell", r"^(?P<word>Killed|Terminated|Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception|Hangup)(?: +\(core dumped\))?(?: {2,}\S.*| +(?:python|torchrun|accelerate|deepspeed|bash|sh|[./])\S*(?: .*)?)?\.?$"),
    ExitForm("shell", r"^zsh: (?P<word>killed|terminated|segmentation fault|abort|bus error|illegal hardware instruction|floating point exception|hangup)\b"),
    ExitForm("shell", r"^fish: Job .* terminated by signal (?P<signal>SIG[A-Z]+)"),
    ExitForm("shell", r"^(?:\S+: line \d+: +)(?P<word>Killed|Segmentation fault|Aborted|Bus error|Illegal instruction)\b"),
    ExitForm("shell", r"(?i)^(?:\[?(?:process|script|job|command|program|python|train\S*|shell)?\]?[\s:]*)?(?:exit|return)(?:ed)?[ _]?(?:code|status|value)? ?(?:=|:|is|with)? ?(?P<code>-?\d{1,3})\.?$"),
    ExitForm("make", r"^make(?:\[\d+\])?: \*\*\* .* Error (?P<code>\d+)"),
    ExitForm("subprocess", r"(?:died with|was killed by|killed by|received) (?:<Signals\.)?(?P<signal>SIG[A-Z]+)"),
)  # fmt: skip

_SUMMARY_FIELD = Lazy(r"^\s*(?P<key>time|host|rank|exitcode|error_file|traceback|msg)\s*: ?(?P<value>.*)$")
_SUMMARY_ITEM = Lazy(r"^\s*\[(?P<number>\d+)\]:\s*$")
_SUMMARY_RANK = Lazy(r"(?P<rank>\d+) \(local_rank: (?P<local_rank>\d+)\)")
_SUMMARY_EXIT = Lazy(r"(?P<code>-?\d+) \(pid: (?P<pid>\d+)\)")


def parse_exit(line: Line, source: str) -> Iterator[ProcessExit]:
    """What one line says about the end of processes."""
    for form in FORMS:
        match = re.search(form.pattern, line.text)
        if not match:
            continue
        fields = {k: v for k, v in match.groupdict().items() if v is not None}
        code = _code(fields)
        who = line.origin
        base = ProcessExit(
            code=code,
            reporter=form.reporter,
            source=source,
            line=line.number,
            text=line.text[:300],
            rank=_int(fields, "rank"),
            local_rank=_int(fields, "local_rank"),
            host=fields.get("host") or who.host,
            pid=_int(fields, "pid"),
            stamp=who.stamp,
            attempt=who.attempt,
            first=form.first,
            told=form.told or _told_by_launcher(form, line.text),
            label=who.label,
            task=who.task,
        )
        yield base
        for rank in _more_ranks(fields):
            yield base._replace(rank=rank)
        return


def _told_by_launcher(form: ExitForm, text: str) -> bool:
    return form.reporter == "srun" and ("Terminated" in text or "Killed by" in text)


def _more_ranks(fields: dict[str, str]) -> Iterator[int]:
    text = fields.get("more")
    if not text or "rank" not in fields:
        return
    for part in (fields["rank"] + text).split(","):
        low, _, high = part.partition("-")
        if low.isdigit() and (high or low).isdigit():
            yield from (r for r in range(int(low), int(high or low) + 1) if r != int(fields["rank"]))


def _int(fields: dict[str, str], name: str) -> int | None:
    return int(fields[name]) if name in fields else None


def _code(fields: dict[str, str]) -> int | None:
    if "signal" in fields:
        return -_SIGNALS[fields["signal"]] if fields["signal"] in _SIGNALS else None
    if int(fields.get("number", 0)):
        return -int(fields["number"])
    if "word" in fields:
        return _WORDS.get(fields["word"].lower())
    if "code" in fields:
        return signal_of(int(fields["code"]))
    return None


def signal_of(code: int) -> int:
    """An exit code with the shell's 128+n for signals, or a negative code cut to a byte, turned into -n."""
    if code in _SHELL_SIGNALS:
        return 128 - code
    return code - 256 if code in _WRAPPED_SIGNALS else code


def parse_summary(lines: Iterator[Line] | list[Line], source: str) -> list[ProcessExit]:
    """The failures listed in torchrun's ChildFailedError block."""
    exits: list[ProcessExit] = []
    current: dict[str, str] = {}
    place: Line | None = None
    in_root = False

    def flush() -> None:
        if place is not None and "rank" in current:
            exits.append(_summary_exit(current, place, source, first=in_root))
        current.clear()

    for line in lines:
        text = line.text
        if _SUMMARY_ITEM.match(text):
            flush()
            place = None
        elif text.strip().startswith("Root Cause"):
            flush()
            in_root = True
        elif text.strip().startswith("Other Failures"):
            flush()
            in_root = False
        elif match := _SUMMARY_FIELD.match(text):
            if match["key"] == "rank":
                place = line
            current.setdefault(match["key"], match["value"])
            current.setdefault(f"{match['key']}@", str(line.number))
    flush()
    return exits


def _summary_exit(fields: dict[str, str], place: Line, source: str, *, first: bool) -> ProcessExit:
    rank = _SUMMARY_RANK.search(fields["rank"])
    code = _SUMMARY_EXIT.search(fields.get("exitcode", ""))
    number = int(fields.get("exitcode@", place.number))
    return ProcessExit(
        code=int(code["code"]) if code else None,
        reporter="torchrun-summary",
        source=source,
        line=number,
        text=f"rank {fields['rank'].strip()} exitcode {fields.get('exitcode', '?').strip()} {fields.get('traceback', '').strip()}"[:300],
        rank=int(rank["rank"]) if rank else None,
        local_rank=int(rank["local_rank"]) if rank else None,
        host=fields.get("host", "").strip() or None,
        pid=int(code["pid"]) if code else None,
        stamp=stamps.parse({"iso": fields.get("time", "").strip()}),
        first=first,
        told=bool(code and code["code"] == "-15"),
        label=place.origin.label,
        task=place.origin.task,
    )
