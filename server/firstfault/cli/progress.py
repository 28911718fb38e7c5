"""Shows on a terminal how far a long read has come; says nothing in the first second, and nothing elsewhere."""

from __future__ import annotations

import sys
import time

_QUIET = 1.0
_BETWEEN = 0.2


class Progress:
    """Counts bytes as they are read and redraws one line on standard error."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._read = 0
        self._start = time.monotonic()
        self._last = 0.0
        self._drawn = False

    def __call__(self, name: str, size: int) -> None:
        """`size` more bytes of the input `name` were read."""
        self._read += size
        now = time.monotonic()
        if now - self._start < _QUIET or now - self._last < _BETWEEN:
            return
        self._last = now
        share = f" {min(100, 100 * self._read // self._total)} %" if self._total else ""
        sys.stderr.write(f"\r\x1b[Kreading{share} · {self._read / 1e6:,.0f} MB · {name[-60:]} · Ctrl-C stops")
        sys.stderr.flush()
        self._drawn = True

    def clear(self) -> None:
        """Take the line away."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
