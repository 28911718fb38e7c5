"""Puts the kernel's seconds since boot beside the time of day, by lines that tell both."""

from __future__ import annotations

from firstfault.lazy import Lazy
from firstfault.read import stamps

_ENOUGH = 64
_TRIES = 200
"""Lines that are looked at in each block: a log that tells both does so often."""
_MARKS = (b"audit(", b"system clock to", b": [")
_BOOT = Lazy(r"\[ *(?P<boot>\d{1,9}\.\d{6})\]")
_AUDIT = Lazy(r"\baudit\((?P<epoch>1\d{9}\.\d{3}):\d+\)")
_CLOCK_SET = Lazy(r"setting system clock to \S+(?: \S+)? UTC \((?P<epoch>1\d{9})\)")
_ISO = Lazy(r"^(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)) ")
_EPOCH = Lazy(r"^(?P<epoch>1\d{9}\.\d{6}) ")
_LONGEST = 400
_WHOLE = 4 * 1024 * 1024
"""Bytes of a source that are looked at in full: more than the ring buffer of a kernel holds."""
_GLANCE = 32 * 1024
"""Bytes of each later block that are looked at."""
_DRIFT = 60.0
"""Seconds by which the time of boot may differ from line to line of one machine."""
_MOST = 0.9


class BootClock:
    """Collects lines that tell their time by both clocks, while a source is read."""

    def __init__(self) -> None:
        self._boots: list[float] = []
        self._whole = _WHOLE

    def note(self, block: bytes, *, final: bool = False) -> None:
        """Look for such lines in some bytes of a source: in all of its beginning and end, and here and there in between, since
        hardly any large log has them."""
        size = len(block) if final or self._whole > 0 else _GLANCE
        self._whole -= size
        for mark in _MARKS:
            at = 0
            for _ in range(_TRIES):
                at = block.find(mark, at, size)
                if at < 0 or len(self._boots) >= _ENOUGH:
                    break
                start, end = block.rfind(b"\n", 0, at) + 1, block.find(b"\n", at)
                end = len(block) if end < 0 else end
                boot = boot_of(block[start : min(end, start + _LONGEST)].decode("utf-8", "replace"))
                if boot is not None:
                    self._boots.append(boot)
                at = end

    @property
    def boot(self) -> float | None:
        """Seconds since 1970 at which the machine booted; None where no line tells, or where they tell of several boots."""
        if not self._boots:
            return None
        middle = sorted(self._boots)[len(self._boots) // 2]
        near = sum(abs(boot - middle) <= _DRIFT for boot in self._boots)
        return middle if near >= _MOST * len(self._boots) else None


def boot_of(line: str) -> float | None:
    """When the machine booted, by a line that tells its time by both clocks; None for any other."""
    since = _BOOT.search(line)
    if since is None:
        return None
    exact = _AUDIT.search(line) or _CLOCK_SET.search(line) or _EPOCH.match(line)
    if exact is not None:
        return float(exact["epoch"]) - float(since["boot"])
    iso = _ISO.match(line)
    stamp = stamps.parse({"iso": iso["iso"]}) if iso else None
    return stamp.seconds - float(since["boot"]) if stamp else None
