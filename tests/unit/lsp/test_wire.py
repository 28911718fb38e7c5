"""Messages are cut out of a stream of bytes, whatever stands between them."""

from __future__ import annotations

import pytest

from firstfault.lsp.wire import Frames

HELLO = b'Content-Length: 7\r\n\r\n"hello"'


def read(data: bytes, size: int) -> list[object]:
    frames = Frames()
    return [m.content if m.error is None else "?" for i in range(0, len(data), size) for m in frames.feed(data[i : i + size])]


@pytest.mark.parametrize("size", [1, 2, 5, 21, 1000])
def test_messages_may_come_in_any_pieces(size: int) -> None:
    assert read(HELLO * 3, size) == ["hello"] * 3


@pytest.mark.parametrize(
    "header",
    [
        b"content-length:7\r\n\r\n",
        b"Content-Type: application/json\r\nContent-Length: 7\r\n\r\n",
        b"Content-Length: 7\r\nContent-Type: application/json; charset=utf-8\r\n\r\n",
        b"Content-Length: 7\n\n",
    ],
)
def test_headers_are_read_as_clients_write_them(header: bytes) -> None:
    assert read(header + b'"hello"', 1000) == ["hello"]


@pytest.mark.parametrize(
    "rubbish", [b"Content-Length: x\r\n\r\n", b"\r\n\r\n", b"Content-Length: 3\r\n\r\n{{{", b"Content-Length: 0\r\n\r\n"]
)
def test_what_is_broken_is_told_once_and_skipped(rubbish: bytes) -> None:
    assert read(rubbish + HELLO, 1000) == ["?", "hello"]


def test_an_endless_header_does_not_fill_the_memory() -> None:
    assert read(b"x" * 1_000_000, 1000)[:1] == ["?"]
