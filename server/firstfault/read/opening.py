"""Finds and opens what the user named: files, folders of per-rank logs, globs, compressed files, standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from importlib import import_module
from io import BufferedReader
from typing import BinaryIO, NamedTuple, cast

from firstfault.errors import UnreadableInputError

BLOCK = 4 * 1024 * 1024
"""Bytes read at a time."""

_BROKEN = {("lzma", "LZMAError"), ("_lzma", "LZMAError"), ("zlib", "error"), ("gzip", "BadGzipFile"), ("zstandard", "ZstdError")}
"""Errors of the decompressors, by package and name, so that none of them has to be loaded for a plain log."""

_MARKS = ((b"\x1f\x8b\x08", "gzip"), (b"\xfd7zXZ\x00", "lzma"), (b"BZh", "bz2"), (b"\x28\xb5\x2f\xfd", "zstandard"))
"""First bytes of compressed files, and the module that reads them; loaded when one comes."""
_LONGEST_MARK = 6

_SKIPPED_FOLDERS = {".git", "__pycache__", "node_modules", ".venv"}
_LOG_NAMES = {
    ".log", ".out", ".err", ".txt", ".json", ".jsonl", ".stdout", ".stderr", ".gz", ".xz", ".zst", ".bz2", ".messages", ".dmesg", "",
}  # fmt: skip
_NOT_LOGS = {
    ".py", ".pt", ".pth", ".bin", ".safetensors", ".npy", ".npz", ".png", ".jpg", ".jpeg", ".pdf", ".whl", ".so", ".yaml", ".yml", ".toml",
    ".ckpt", ".h5", ".parquet", ".arrow", ".zip", ".tar", ".tgz", ".csv", ".ipynb", ".sh", ".cfg", ".ini", ".md", ".html", ".pkl", ".db",
    ".tsv", ".gguf", ".onnx", ".distcp", ".pickle", ".tfrecord", ".nsys-rep", ".cu", ".cpp", ".h", ".js", ".ts", ".lock", ".xml", ".svg",
}  # fmt: skip


class Input(NamedTuple):
    """One thing to read: its name in the report and its place on disk (None for standard input)."""

    name: str
    path: str | None


def find_inputs(arguments: Sequence[str]) -> list[Input]:
    """All inputs behind the given paths, globs and `-`; raises UnreadableInputError for what is not there."""
    found: list[Input] = []
    for argument in arguments:
        if argument == "-":
            found.append(Input("<stdin>", None))
        elif os.path.isdir(argument):
            found.extend(_folder(argument))
        elif os.path.exists(argument):
            found.append(Input(argument, argument))
        elif has_magic(argument):
            matched = [p for p in sorted(glob(argument, recursive=True)) if os.path.isfile(p)]
            if not matched:
                raise UnreadableInputError(f"no file matches {argument}")
            found.extend(Input(p, p) for p in matched)
        else:
            raise UnreadableInputError(f"{argument}: no such file or folder")
    unique: dict[object, Input] = {}
    for item in found:
        unique.setdefault(os.path.realpath(item.path) if item.path else item.name, item)
    return list(unique.values())


def _folder(root: str) -> list[Input]:
    files: list[str] = []
    seen: set[str] = set()

    def closed(error: OSError) -> None:
        # Kept as an input, so that opening it says why it cannot be read.
        files.append(str(error.filename))

    for folder, below, names in os.walk(root, followlinks=True, onerror=closed):
        real = os.path.realpath(folder)
        if real in seen:
            below.clear()
            continue
        seen.add(real)
        below[:] = sorted(d for d in below if d not in _SKIPPED_FOLDERS and not d.startswith("."))
        paths = (os.path.join(folder, n) for n in sorted(names) if _looks_like_log(n))
        files.extend(p for p in paths if os.path.isfile(p))
    if not files:
        raise UnreadableInputError(f"{root}: the folder holds no log files")
    return [Input(p, p) for p in files]


def _looks_like_log(name: str) -> bool:
    if name.startswith(".") or ".tfevents." in name:
        return False
    suffix = os.path.splitext(name)[1].lower()
    return suffix in _LOG_NAMES or suffix.lstrip(".").isdigit() or suffix not in _NOT_LOGS


@contextmanager
def open_input(item: Input) -> Generator[BinaryIO]:
    """The bytes of an input, decompressed; raises UnreadableInputError."""
    if item.path is None:
        if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison]  # so when the shell closed it: `<&-`
            raise UnreadableInputError("standard input is closed; name a log to read")
        with _decompressed(sys.stdin.buffer, item.name) as stream:
            yield stream
        return
    try:
        file = open(item.path, "rb")  # noqa: SIM115  # closed by the `with` below; only its opening is guarded here
    except OSError as error:
        raise UnreadableInputError(f"{item.name}: {_reason(error)}") from error
    with file, _decompressed(file, item.name) as stream:
        yield stream


@contextmanager
def _decompressed(file: BinaryIO, name: str) -> Generator[BinaryIO]:
    """What a file holds, whatever its name says: rotated logs carry every kind of suffix."""
    try:
        head = cast("BufferedReader", file).peek(_LONGEST_MARK)
    except OSError as error:
        raise UnreadableInputError(f"{name}: {_reason(error)}") from error
    module = next((module for mark, module in _MARKS if head.startswith(mark)), None)
    if module is None:
        yield file
        return
    if module == "zstandard":
        yield _zstd(file, name)
        return
    with import_module(module).open(file, "rb") as stream:
        yield stream


def _zstd(file: BinaryIO, name: str) -> BinaryIO:
    try:
        zstandard = import_module("zstandard")
    except ImportError as error:
        raise UnreadableInputError(f"{name}: reading .zst files needs the extra: pip install 'firstfault[zstd]'") from error
    return cast("BinaryIO", zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True))


def read_blocks(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Blocks of bytes; what was read before a broken end of a compressed file is given before the error is raised."""
    pieces: list[bytes] = []
    size = 0
    while True:
        try:
            piece = _read_piece(stream)
        except Exception as error:
            if pieces:
                yield b"".join(pieces)
            raise _unreadable(error, name) from error
        if piece:
            pieces.append(piece)
            size += len(piece)
        if pieces and (size >= BLOCK or not piece):
            yield b"".join(pieces)
            pieces, size = [], 0
        if not piece:
            return


def _read_piece(stream: BinaryIO) -> bytes:
    """What can be had at once: a full read of a broken compressed file would lose all that was read before the break."""
    at_once = getattr(stream, "read1", stream.read)
    return at_once(BLOCK)


def _unreadable(error: Exception, name: str) -> Exception:
    if isinstance(error, EOFError) or (type(error).__module__.split(".")[0], type(error).__name__) in _BROKEN:
        return UnreadableInputError(f"{name}: the compressed data is broken ({error})")
    if isinstance(error, OSError):
        return UnreadableInputError(f"{name}: {_reason(error)}")
    return error


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
