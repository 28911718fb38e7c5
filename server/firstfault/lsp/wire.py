"""The bytes between client and server: frames of the base protocol, read by a thread that no bad input can stop."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

BLOCK = 256 * 1024
LARGEST = 1024 * 1024 * 1024
"""Bytes of one message; more is taken as a broken header."""
_LENGTH = re.compile(rb"(?im)^content-length *: *(\d{1,18}) *\r?$")
_LONGEST_HEADER = 64 * 1024
_WAITING = 16 * 1024 * 1024
"""Bytes that may wait for the loop; then reading stops, so that a quick client cannot fill the memory."""


class Message(NamedTuple):
    """One message: its content, or what is wrong with it."""

    content: Any
    error: str | None
    size: int


class Frames:
    """Cuts a stream of bytes into messages. After rubbish it goes on at the next header."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0
        self._wanted = 0
        """Bytes of the body that is awaited; 0 while a header is read."""

    def feed(self, block: bytes) -> Iterator[Message]:
        """The messages that end in the next bytes."""
        self._held.append(block)
        self._size += len(block)
        while self._size >= self._wanted:
            data = b"".join(self._held)
            if self._wanted:
                body, rest = (data, b"") if len(data) == self._wanted else (data[: self._wanted], data[self._wanted :])
                self._wanted = 0
                self._hold(rest)
                yield _message(body)
            else:
                message = self._header(data)
                if message is not None:
                    yield message
                elif not self._wanted:
                    return

    def _header(self, data: bytes) -> Message | None:
        """Take a header off; a message where it is broken, None when it was taken or is not complete."""
        end, gap = _end_of_header(data)
        if end < 0:
            self._hold(data)
            if len(data) <= _LONGEST_HEADER:
                return None
            self._hold(b"")
            return Message(None, "no header with a Content-Length was found; the bytes were skipped", len(data))
        lengths = _LENGTH.findall(data[:end])
        self._hold(data[end + gap :])
        if not lengths or not 0 < int(lengths[-1]) <= LARGEST:
            return Message(None, "a header without a usable Content-Length was skipped", end)
        self._wanted = int(lengths[-1])
        return None

    def _hold(self, data: bytes) -> None:
        self._held = [data] if data else []
        self._size = len(data)


def _end_of_header(data: bytes) -> tuple[int, int]:
    proper, bare = data.find(b"\r\n\r\n"), data.find(b"\n\n")
    if proper >= 0 and (bare < 0 or proper < bare):
        return proper, 4
    return (bare, 2) if bare >= 0 else (-1, 0)


def _message(body: bytes) -> Message:
    try:
        return Message(json.loads(body), None, len(body))
    except (ValueError, RecursionError) as error:
        return Message(None, f"the message is not valid JSON: {type(error).__name__}", len(body))


class Reading:
    """Reads a file descriptor on a thread and hands each message over; waits while too much is waiting."""

    def __init__(self, descriptor: int, deliver: Callable[[Message], None], ended: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._deliver = deliver
        self._ended = ended
        self._waiting = 0
        self._room = threading.Condition()
        self._stopped = False

    def start(self) -> None:
        """Begin; the thread does not keep the process alive."""
        threading.Thread(target=self._run, name="firstfault-reader", daemon=True).start()

    def done_with(self, message: Message) -> None:
        """The loop has handled a message."""
        with self._room:
            self._waiting -= message.size
            self._room.notify()

    def _run(self) -> None:
        frames = Frames()
        while True:
            try:
                # os.read, not sys.stdin: a thread that holds the lock of sys.stdin would hinder the interpreter's end.
                block = os.read(self._descriptor, BLOCK)
            except OSError:
                block = b""
            if not block:
                self._ended()
                return
            for message in frames.feed(block):
                with self._room:
                    self._room.wait_for(lambda: self._waiting < _WAITING)
                    self._waiting += message.size
                self._deliver(message)
