"""A stream while it is read: how much came, and whether it broke off."""

from __future__ import annotations

from collections.abc import Iterator

from firstfault.errors import UnreadableInputError
from firstfault.read.text import without_hole

_ENOUGH_TO_JUDGE = 4096


class Intake:
    """Blocks of one stream; what came before a break is kept, and only a stream that gave nothing raises."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self.bytes = 0
        self.broken = False
        """The stream could not be read to its end."""

    def head(self) -> bytes:
        """The first bytes with content, enough of them to tell the encoding by; raises UnreadableInputError."""
        block = self._next()
        head = without_hole(block)
        while block and not head:
            hole, block = block, self._next()
            head = block.lstrip(b"\0") if block else hole
        while 0 < len(head) < _ENOUGH_TO_JUDGE and (more := self._next()):
            head += more
        return head

    def after(self, head: bytes) -> Iterator[bytes]:
        """The head, then all blocks that follow it."""
        block = head
        while block:
            yield block
            block = self._next()

    def _next(self) -> bytes:
        try:
            block = next(self._blocks, b"")
        except UnreadableInputError:
            if not self.bytes:
                raise
            self.broken = True
            return b""
        self.bytes += len(block)
        return block
