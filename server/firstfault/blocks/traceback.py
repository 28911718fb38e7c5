"""Python tracebacks: chains, notes, groups, and the nested ones that workers and remote processes send along."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from firstfault.lazy import Lazy
from firstfault.model import Frame, Line, Raised

HEADER = Lazy(
    r"^(?P<indent>[\s|+│]*)(?P<lead>[^\s|+│].{0,200}?)??(?:\+ )?(?P<kind>Original |Exception Group )?Traceback \(most recent call (?:last|first)\):?(?: \(RANK \d+\))?\s*$"
)
_FRAME = Lazy(r'^File "(?P<file>[^"]*)", line (?P<line>\d+)(?:, in (?P<function>.*))?')
_EXCEPTION = Lazy(r"^(?P<type>[A-Za-z_][\w.]*(?:\[[\w.]+\])?(?:\([\w.]*\))?)(?::(?: |$)(?P<message>.*)|$)", re.DOTALL)
_CAUSE = "The above exception was the direct cause of the following exception:"
_CONTEXT = "During handling of the above exception, another exception occurred:"
_GROUP_EDGE = Lazy(r"^[\s|]*\+[-+]{2,}")
_BOX = Lazy(r"^[\s]*\| ?")
_RECORD = Lazy(
    r"^(?:srun:|slurmstepd:|mpirun|prterun|-{20,}|={20,}|[✔✖﹣ℹ]|Primary job|make: |\[\d+/\d+\]|\+ |\$ |wandb: |ray::|Killed$|Aborted|Segmentation fault|"
    r"(?:exit|return)[ _]?(?:code|status)\b|.{0,60}\bexited? with|terminate called|Exception in thread|Exception ignored|WARNING|INFO|ERROR)",
    re.IGNORECASE,
)
_LONGEST_MESSAGE = 40
_MOST_UNINDENTED = 12
"""Lines at the left margin that a message may have; what follows is more likely to be other output."""
_LONGEST_SUMMARY = 600
_MOST_STRANGERS = 3
_MOST_BLANKS = 2


@dataclass(slots=True)
class _State:
    start: int
    frames: list[Frame] = field(default_factory=list[Frame])
    link: str = "none"
    strangers: int = 0
    blanks: int = 0
    quiet: bool = False
    """Between two tracebacks of a chain: only a header may come."""


class TracebackReader:
    """Reads one traceback with its whole chain, line by line."""

    def __init__(self, head: Line) -> None:
        self._head = head
        self._raised: list[Raised] = []
        self._message: list[str] = []
        self._state = _State(start=head.number)
        self._end = head.number
        self._begin = head.number
        self._type = ""
        self._unindented = 0
        self._said = head.origin.stamp
        """When the line before was said."""
        self.body = head.process
        """Process of the lines below the head, which a logger may leave without its prefix."""
        self._started = False
        self.breaks_off: Raised | None = None
        """What is there of a traceback at whose end nothing follows any more, the line of its exception included."""
        self._last_of_all = True
        """No line of anybody follows the head."""
        self._foreign = False
        """Among the frames stood something that no logger of the same process had put there."""
        self._grouped = False
        """Below the edge of an exception group, until a line stands outside its box."""
        header = HEADER.match(head.text)
        self._indent = header["indent"] if header and not header["lead"] else ""

    def read(self, lines: Iterable[Line]) -> tuple[list[Raised], int]:
        """The exceptions in the order printed, and the number of the last line."""
        for line in lines:
            self._last_of_all = False
            if not self._started:
                self._find_body(line)
            if line.process != self.body:
                continue
            self._started = True
            if not self._accept(line):
                break
            self._said = line.origin.stamp or self._said
        else:
            self.breaks_off = self._unfinished()
        self._flush()
        return self._raised, self._end

    def _find_body(self, line: Line) -> None:
        """A logger prefixes only its first line: the frames below it then come without the prefix."""
        if line.process != self._head.process and not line.prefix and _FRAME.match(line.text.strip()):
            self.body = line.process

    def _accept(self, line: Line) -> bool:
        text = line.text
        if self._indent and text.startswith(self._indent):
            text = text[len(self._indent) :]
        if _GROUP_EDGE.match(text):
            self._grouped = True
            return True
        boxed = text.lstrip().startswith("|")
        text = _BOX.sub("", text, count=1) if boxed else text
        bare = text.strip()
        if HEADER.match(text):
            return self._header(line, text)
        if bare in (_CAUSE, _CONTEXT):
            self._grouped = self._grouped and boxed
            self._flush()
            self._state = _State(start=line.number, link="cause" if bare == _CAUSE else "context", quiet=True)
            self._end = line.number
            return True
        if self._grouped and not boxed and bare:
            return False
        if self._message:
            return self._continue(line, text, bare)
        return self._frame_or_exception(line, text, bare)

    def _header(self, line: Line, text: str) -> bool:
        link = "inner" if "Original" in text else self._state.link
        if self._message and link == "none":
            if not self._grouped and not self._nested() and "(RANK " not in text:
                return False
            link = "inner"
        self._flush()
        self._state = _State(start=line.number, link=link)
        self._end = line.number
        return True

    def _nested(self) -> bool:
        """The text so far says that another process's traceback follows."""
        last = "\n".join(self._message[-3:])
        return bool(re.search(r'"""\s*$|RemoteTraceback|Traceback:\s*$|following error:\s*$|RayTaskError|caused by', last))

    def _frame_or_exception(self, line: Line, text: str, bare: str) -> bool:
        state = self._state
        frame = _FRAME.match(bare)
        if frame:
            number = int(frame["line"])
            state.frames.append(Frame(file=frame["file"], line=number, function=frame["function"] or ""))
        elif not bare or set(bare) <= set("^~ ") or bare.startswith("[Previous line repeated"):
            state.blanks += 1
            if state.quiet and state.blanks > _MOST_BLANKS:
                return False
        elif text[:1].isspace() and state.frames:
            self._source(bare)
        elif state.quiet and bare == '"""':
            pass
        elif (match := _EXCEPTION.match(bare)) and not state.quiet and not match["type"].isupper():
            self._message = [bare]
            self._begin = line.number
            state.blanks = 0
            self._type = match["type"]
        else:
            state.strangers += 1
            logged = bool(line.origin.level or line.origin.stamp) and line.prefix != self._head.prefix
            self._foreign = self._foreign or not logged
            return state.strangers <= _MOST_STRANGERS
        self._end = line.number
        return True

    def _source(self, bare: str) -> None:
        last = self._state.frames[-1]
        if not last.source:
            self._state.frames[-1] = Frame(file=last.file, line=last.line, function=last.function, source=bare[:300])

    def _continue(self, line: Line, text: str, bare: str) -> bool:
        if _FRAME.match(bare) and text[:1].isspace():
            self._flush()
            self._state = _State(start=line.number, link="inner")
            return self._frame_or_exception(line, text, bare)
        summary = self._type.endswith("ChildFailedError")
        if len(self._message) >= (_LONGEST_SUMMARY if summary else _LONGEST_MESSAGE):
            return False
        if not bare:
            self._state.blanks += 1
            self._message.append("")
            return self._state.blanks <= _MOST_BLANKS
        self._state.blanks = 0
        if not text[:1].isspace():
            self._unindented += 1
            if self._unindented > _MOST_UNINDENTED and not summary:
                return False
        if self._new_record(line) or (not summary and _RECORD.match(bare) and not text[:1].isspace()):
            return False
        self._message.append(text.rstrip())
        self._end = line.number
        return not (summary and set(bare) == {"="} and len(self._message) > 4)

    def _new_record(self, line: Line) -> bool:
        head = self._head
        if line.prefix != head.prefix and line.prefix.count(" ") >= head.prefix.count(" "):
            return bool(line.origin.level or line.origin.stamp) and line.origin.stamp != head.origin.stamp
        if line.origin.logger != head.origin.logger:
            return True
        if line.origin.stamp and self._said and not head.origin.logger:
            # What a process prints at once, a container engine stamps line by line.
            return line.origin.stamp.seconds - self._said.seconds > 1
        return False

    def _unfinished(self) -> Raised | None:
        frames = self._state.frames
        if self._message or self._raised or self._foreign:
            return None
        if not frames:
            head = self._head
            text = head.text.strip()
            alone = self._last_of_all and text.startswith("Traceback")
            return Raised("", text, head.number, head.number, head.number) if alone else None
        last = frames[-1]
        return Raised(
            type="",
            message=f'File "{last.file}", line {last.line}, in {last.function}',
            line=self._end,
            end_line=self._end,
            start_line=self._state.start,
            frames=tuple(frames),
        )

    def _flush(self) -> None:
        if not self._message:
            return
        while self._message and not self._message[-1]:
            self._message.pop()
        self._raised.append(
            Raised(
                type=self._type,
                message="\n".join(self._message)[:6000],
                line=self._begin,
                end_line=max(self._begin, self._end),
                start_line=self._state.start,
                frames=tuple(self._state.frames),
                link=self._state.link,  # pyright: ignore[reportArgumentType]
            )
        )
        self._message = []
        self._unindented = 0
