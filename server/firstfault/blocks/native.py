"""Crashes outside Python: C++ terminate, glibc aborts, fatal signals, Rust and Go panics, Java exceptions."""

from __future__ import annotations

from collections.abc import Iterable

from firstfault.lazy import Lazy
from firstfault.model import Frame, Line, Raised

_TERMINATE = Lazy(r"terminate called after throwing an instance of '(?P<type>[^']+)'")
_FRAME = Lazy(r'^\s*File "(?P<file>[^"]*)", line (?P<line>\d+) in (?P<function>.*)')
_NATIVE: tuple[tuple[str, Lazy], ...] = (
    ("FatalPythonError", Lazy(r"^Fatal Python error: (?P<what>.*)")),
    ("SIGSEGV", Lazy(r"(?:^|: |\] )(?:Segmentation fault|Caught signal 11|Signal: Segmentation fault)")),
    ("SIGSEGV", Lazy(r"\*\*\* SIGSEGV received")),
    ("signal", Lazy(r"(?:^|: |\] )Caught signal \d+ \(")),
    ("signal", Lazy(r"\*\*\* (?P<what>SIG[A-Z]+) received")),
    ("SIGBUS", Lazy(r"(?:^|: )Bus error\b")),
    ("SIGILL", Lazy(r"(?:^|: )Illegal instruction\b")),
    ("abort", Lazy(r"^(?:free\(\): |double free or corruption|malloc\(\): |munmap_chunk\(\): |corrupted )")),
    ("abort", Lazy(r"stack smashing detected")),
    ("assertion", Lazy(r"^(?!.*\[\d+,\d+,\d+\], thread).*Assertion .{1,300} failed")),
    ("Rust panic", Lazy(r"^thread '.*' (?:\(\d+\) )?panicked at ")),
    ("Go panic", Lazy(r"^panic: ")),
    ("Java exception", Lazy(r"^Exception in thread \"")),
    ("abort", Lazy(r"\(core dumped\)")),
)
_LONGEST = 80


def read_terminate(line: Line, following: Iterable[Line]) -> Raised | None:
    """An uncaught C++ exception with its `what()` text."""
    match = _TERMINATE.search(line.text)
    if not match:
        return None
    text = [line.text]
    end = line.number
    for after in following:
        if after.process != line.process and after.origin.rank is not None:
            continue
        bare = after.text.strip()
        if len(text) == 1 and not bare.startswith("what():") and bare:
            break
        if not bare or len(text) > 12 or bare.startswith(("Exception raised from", "frame #")):
            break
        text.append(bare)
        end = after.number
    return Raised(type=match["type"], message="\n".join(text), line=line.number, end_line=end, start_line=line.number)


def read_native(line: Line, following: Iterable[Line]) -> Raised | None:
    """A crash that one line announces, with the Python frames that faulthandler prints below it."""
    kind = next((kind for kind, pattern in _NATIVE if pattern.search(line.text)), None)
    if kind is None:
        return None
    if line.origin.level in ("debug", "info"):
        return None
    frames: list[Frame] = []
    text = [line.text]
    end = line.number
    if kind in ("FatalPythonError", "Go panic", "Rust panic", "Java exception"):
        for after in following:
            if after.process != line.process:
                continue
            frame = _FRAME.match(after.text)
            if frame:
                frames.append(Frame(file=frame["file"], line=int(frame["line"]), function=frame["function"]))
            elif not _belongs(kind, after.text) or after.number - line.number > _LONGEST:
                break
            else:
                text.append(after.text)
            end = after.number
    return Raised(type=kind, message="\n".join(text[:12]), line=line.number, end_line=end, start_line=line.number, frames=tuple(frames))


def _belongs(kind: str, text: str) -> bool:
    if kind == "FatalPythonError":
        return not text.strip() or text.startswith(("Current thread", "Thread 0x", "Python runtime state", "  ", "Extension modules"))
    if kind == "Java exception":
        return text.startswith(("\tat ", "    at ", "Caused by", "\t..."))
    if kind == "Go panic":
        return not text.strip() or text.startswith(("\t", "goroutine", "main.", "[signal"))
    return bool(text.strip()) and not text[0].isupper()
