"""Any encoding becomes one UTF-8 stream; what is no text is refused."""

from __future__ import annotations

import codecs

import pytest

from firstfault.errors import UnreadableInputError
from firstfault.read.text import encoding_of, require_text, transcode, without_hole

LOG = "2026-12-01 10:00:00 INFO Zoë started\nRuntimeError: 内存不足\n"

ENCODED = [
    pytest.param(LOG.encode(), "utf-8", id="UTF-8"),
    pytest.param(codecs.BOM_UTF8 + LOG.encode(), "utf-8", id="UTF-8 with BOM"),
    pytest.param(codecs.BOM_UTF16_LE + LOG.encode("utf-16-le"), "utf-16-le", id="UTF-16, as PowerShell writes it"),
    pytest.param(codecs.BOM_UTF16_BE + LOG.encode("utf-16-be"), "utf-16-be", id="UTF-16 big-endian"),
    pytest.param(codecs.BOM_UTF32_LE + LOG.encode("utf-32-le"), "utf-32-le", id="UTF-32"),
]


def read(data: bytes, size: int = 7) -> str:
    """The stream read in small blocks, so that characters are cut."""
    encoding, skip = encoding_of(data)
    require_text(data, encoding, "x.log")
    blocks = [data[i : i + size] for i in range(0, len(data), size)]
    return b"".join(transcode(blocks, encoding, skip)).decode()


@pytest.mark.parametrize(("data", "encoding"), ENCODED)
@pytest.mark.parametrize("size", [1, 2, 7, 10_000])
def test_the_encoding_is_recognised_and_nothing_is_lost(data: bytes, encoding: str, size: int) -> None:
    assert encoding_of(data)[0] == encoding
    assert read(data, size) == LOG


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_shows_by_its_zero_bytes(encoding: str) -> None:
    text = "step 1 loss 0.5\nRuntimeError: boom\n"
    assert encoding_of(text.encode(encoding))[0] == encoding
    assert read(text.encode(encoding)) == text


def test_half_a_surrogate_pair_at_the_end_is_replaced() -> None:
    data = codecs.BOM_UTF16_LE + "boom 😀".encode("utf-16-le")[:-2]
    assert read(data) == "boom �"


def test_bytes_that_are_no_utf_8_are_latin_1() -> None:
    assert encoding_of("größe".encode("latin-1")) == ("latin-1", 0)


def test_a_character_cut_at_the_end_of_the_sample_is_still_utf_8() -> None:
    assert encoding_of(("x" * 4095 + "é").encode()) == ("utf-8", 0)


@pytest.mark.parametrize("size", [0, 1, 7])
def test_few_bytes_are_enough(size: int) -> None:
    assert read(LOG.encode()[:size]) == LOG[:size]


BINARY = [
    pytest.param(b"\x7fELF\x02\x01\x01" + b"\0" * 100, id="executable"),
    pytest.param(b"PK\x03\x04" + b"abc" * 100, id="zip, as torch.save writes it"),
    pytest.param(b"\x89PNG\r\n\x1a\n" + b"abc" * 100, id="image"),
    pytest.param(b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'}", id="array"),
    pytest.param(bytes(range(32)) * 200, id="control characters"),
    pytest.param(b"\0" * 5000, id="zeros"),
]


@pytest.mark.parametrize("data", BINARY)
def test_a_binary_file_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(UnreadableInputError, match=r"^model\.pt: this is a binary file, not a log$"):
        require_text(data, encoding_of(data)[0], "model.pt")


@pytest.mark.parametrize("data", [b"\x1b[31mred\x1b[0m" * 300, b"a\tb\r\n" * 300, b"text\0with a few\0NULs and more text", b""])
def test_coloured_or_damaged_text_is_still_text(data: bytes) -> None:
    require_text(data, "utf-8", "x.log")


def test_the_hole_that_rotating_in_place_leaves_is_skipped() -> None:
    assert without_hole(b"\0" * 1000 + b"step 1\n") == b"step 1\n"


@pytest.mark.parametrize("data", [b"step 1\n", b"\0\0step", "step".encode("utf-16-be"), b""])
def test_what_begins_otherwise_has_no_hole(data: bytes) -> None:
    assert without_hole(data) == data
