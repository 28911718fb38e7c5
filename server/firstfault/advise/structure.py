"""What can be said of a failure that no catalogue entry knows: its exception, its place, the way to look further."""

from typing import NamedTuple

from firstfault.blocks.frames import own_frame
from firstfault.correlate.suspects import Suspect
from firstfault.model import CUT_OFF, Raised
from firstfault.report import FixStep, Missing, VerifyStep
from firstfault.wording import exit_status

CUT_OFF_TITLE = "Traceback without its end: the exception is not in the log"


class Described(NamedTuple):
    """Words for a failure without an entry."""

    title: str
    category: str
    cause: str
    fix: list[FixStep]
    verify: list[VerifyStep]
    missing: list[Missing]
    next_action: str


def describe(suspect: Suspect) -> Described:
    """Words for a fault that only structure has found."""
    raised = suspect.fault.best.raised if suspect.fault else None
    if raised is None:
        return _exit(suspect)
    if suspect.signature == CUT_OFF:
        return _cut_off(raised)
    name = raised.type.rsplit(".", 1)[-1]
    frame = own_frame(raised)
    place = f"{frame.file}:{frame.line} in {frame.function}" if frame else None
    native = suspect.signature == "structure/native-crash"
    first = raised.message.split("\n", 1)[0][:300]
    cause = f"{'The process crashed outside Python' if native else f'An unhandled {name} ended the process'}: {first}"
    if place:
        cause += f" (raised below {place})"
    look = FixStep(
        text=f"Read the code at {place}: it got a value it does not handle"
        if place
        else "Read the first lines of the traceback above the message",
        command=None,
        edit=None,
        caution=None,
        kind="code",
        risk="safe",
    )
    return Described(
        title=f"Native crash: {first[:60]}" if native else f"Unhandled exception: {name}",
        category="native" if native else "python",
        cause=cause,
        fix=[look],
        verify=[VerifyStep(text="Run the same step again", command=None, expect=f"no {name}")],
        missing=[],
        next_action=f"Look at {place}." if place else f"Find where {name} is raised.",
    )


def _cut_off(raised: Raised) -> Described:
    frame = own_frame(raised)
    place = f"{frame.file}:{frame.line} in {frame.function}" if frame else None
    below = f" (raised below {place})" if place else ""
    return Described(
        title=CUT_OFF_TITLE,
        category="python",
        cause=f"An exception ended the process{below}; the log breaks off before the line that names it.",
        fix=[
            FixStep(
                text="Read the rest of the output: of the launcher, of the container engine, of the file before it was cut",
                command=None,
                edit=None,
                caution=None,
                kind="code",
                risk="safe",
            )
        ],
        verify=[VerifyStep(text="Run the same step again", command=None, expect="no traceback")],
        missing=[Missing(fact="the end of the log", command=None, would_show="the type and message of the exception")],
        next_action="Get the end of the log.",
    )


def _exit(suspect: Suspect) -> Described:
    death = suspect.death
    code = death.code if death else None
    ended = "a failure" if code is None else exit_status(code)
    who = f"rank {suspect.rank}" if suspect.rank is not None else "the process"
    return Described(
        title=f"Process ended with {ended}",
        category="launch",
        cause=f"{who.capitalize()} ended with {ended}; the log does not say why.",
        fix=[FixStep(text=f"Read the own log of {who}", command=None, edit=None, caution=None, kind="code", risk="safe")],
        verify=[VerifyStep(text="Run again", command=None, expect="exit code 0")],
        missing=[Missing(fact=f"what {who} printed before it ended", command=None, would_show="its own error")],
        next_action=f"Get the output of {who}.",
    )
