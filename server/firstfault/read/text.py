"""Makes one UTF-8 byte stream of whatever encoding comes in, and refuses what is no text."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from firstfault.errors import UnreadableInputError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MAGIC = (b"\x7fELF", b"PK\x03\x04", b"\x89PNG", b"\x93NUMPY", b"\x89HDF", b"%PDF", b"\xff\xd8\xff", b"PAR1", b"SQLite format 3\x00", b"MZ")


_LEAST_HOLE = 64


def without_hole(head: bytes) -> bytes:
    """The bytes behind the run of NULs that rotating a log in place leaves at its beginning."""
    return head.lstrip(b"\0") if head.startswith(b"\0" * _LEAST_HOLE) else head


def encoding_of(head: bytes) -> tuple[str, int]:
    """Encoding of a stream that begins with `head`, and the length of its byte-order mark."""
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name, len(mark)
    sample = head[:4096]
    if len(sample) >= 8 and sample.count(0) >= len(sample) // 4:
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        if odd > 0.8 * len(sample[1::2]) and even == 0:
            return "utf-16-le", 0
        if even > 0.8 * len(sample[0::2]) and odd == 0:
            return "utf-16-be", 0
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return "latin-1", 0
    return "utf-8", 0


def require_text(head: bytes, encoding: str, name: str) -> None:
    """Raises UnreadableInputError when the stream is a binary file."""
    if encoding.startswith("utf-16") or encoding.startswith("utf-32"):
        return
    sample = head[:4096]
    control = sum(1 for b in sample if b < 9 or 13 < b < 27 or 27 < b < 32)
    if sample.startswith(_MAGIC) or control > len(sample) * 0.3:
        raise UnreadableInputError(f"{name}: this is a binary file, not a log")


def transcode(blocks: Iterable[bytes], encoding: str, skip: int) -> Iterator[bytes]:
    """The stream as UTF-8 where its encoding has wide characters, else as it is, without its byte-order mark."""
    wide = encoding.startswith(("utf-16", "utf-32"))
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace") if wide else None
    for block in blocks:
        part, skip = block[skip:], max(0, skip - len(block))
        yield decoder.decode(part).encode("utf-8", "replace") if decoder else part
    if decoder:
        yield decoder.decode(b"", final=True).encode("utf-8", "replace")
