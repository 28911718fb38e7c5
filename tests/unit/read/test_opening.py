"""What the user names becomes a list of inputs in a fixed order; what cannot be opened says why."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firstfault.errors import UnreadableInputError
from firstfault.read.opening import Input, find_inputs, open_input, read_blocks

TEXT = b"".join(b"step %d loss %f\n" % (i, 1 / (i + 1)) for i in range(20_000))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n")


def _names(*arguments: str) -> list[str]:
    return [i.name.replace(os.sep, "/") for i in find_inputs(arguments)]


def _content(path: Path) -> bytes:
    item = Input(str(path), str(path))
    with open_input(item) as stream:
        return b"".join(read_blocks(stream, item.name))


# --- finding ----------------------------------------------------------------------------------------------------------


def test_files_keep_the_order_in_which_they_were_named(place: Path) -> None:
    _make(place, "a.log", "b.log")
    assert _names("b.log", "a.log") == ["b.log", "a.log"]


def test_a_folder_gives_its_logs_in_sorted_order_with_those_below(place: Path) -> None:
    _make(place, "run/rank1.log", "run/rank0.log", "run/attempt_0/1/stderr.log", "run/attempt_0/0/stderr.log")
    assert _names("run") == ["run/rank0.log", "run/rank1.log", "run/attempt_0/0/stderr.log", "run/attempt_0/1/stderr.log"]


@pytest.mark.parametrize(
    "name",
    ["train.log", "slurm-12.out", "slurm-12.err", "messages", "x.log.1", "x.log.gz", "nccl.node1.4242", "error.json", "events.jsonl"],
)
def test_a_folder_is_searched_for_what_is_named_like_a_log(place: Path, name: str) -> None:
    _make(place, f"run/{name}")
    assert _names("run") == [f"run/{name}"]


@pytest.mark.parametrize(
    "name",
    [
        "train.py",
        "model.pt",
        "weights.safetensors",
        "__0_0.distcp",
        "events.out.tfevents.1796091898.node1.42.0",
        "config.yaml",
        ".hidden.log",
        ".git/x.log",
        "__pycache__/x.log",
    ],
)
def test_a_folder_may_hold_other_things_too(place: Path, name: str) -> None:
    _make(place, f"run/{name}", "run/a.log")
    assert _names("run") == ["run/a.log"]


def test_a_file_named_by_itself_is_read_whatever_it_is_called(place: Path) -> None:
    _make(place, "output.md")
    assert _names("output.md") == ["output.md"]


def test_globs_that_the_shell_left_alone_are_expanded(place: Path) -> None:
    _make(place, "logs/rank1.err", "logs/rank0.err", "logs/rank0.out", "logs/deep/rank2.err")
    assert _names("logs/rank*.err") == ["logs/rank0.err", "logs/rank1.err"]
    assert _names("logs/**/*.err") == ["logs/deep/rank2.err", "logs/rank0.err", "logs/rank1.err"]


def test_a_file_whose_name_looks_like_a_glob_is_a_file(place: Path) -> None:
    _make(place, "rank[0].log")
    assert _names("rank[0].log") == ["rank[0].log"]


def test_what_is_named_twice_is_read_once(place: Path) -> None:
    _make(place, "run/a.log")
    (place / "b.log").symlink_to(place / "run" / "a.log")
    assert _names("run", "run/a.log", "./run/a.log", "b.log", "-", "-") == ["run/a.log", "<stdin>"]


def test_links_to_folders_are_followed_and_loops_end(place: Path) -> None:
    _make(place, "run/a.log", "elsewhere/b.log")
    (place / "run" / "again").symlink_to(place / "run")
    (place / "run" / "more").symlink_to(place / "elsewhere")
    assert _names("run") == ["run/a.log", "run/more/b.log"]


def test_a_folder_may_hold_dangling_links_and_pipes(place: Path) -> None:
    _make(place, "run/a.log")
    (place / "run" / "gone.log").symlink_to(place / "nowhere")
    os.mkfifo(place / "run" / "pipe.log")
    assert _names("run") == ["run/a.log"]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("gone.log", "gone.log: no such file or folder"),
        ("gone/*.log", "no file matches gone/*.log"),
        ("empty", "empty: the folder holds no log files"),
    ],
)
def test_what_is_not_there_is_named(place: Path, argument: str, message: str) -> None:
    (place / "empty").mkdir()
    with pytest.raises(UnreadableInputError) as error:
        find_inputs([argument])
    assert str(error.value) == message


# --- reading ----------------------------------------------------------------------------------------------------------

PACK: list[tuple[str, Callable[[bytes], bytes]]] = [
    (".gz", gzip.compress),
    (".xz", lambda data: lzma.compress(data, preset=0)),
    (".bz2", bz2.compress),
]


@pytest.mark.parametrize(("suffix", "pack"), PACK)
def test_compressed_logs_are_read_as_they_are(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"train.log{suffix}"
    path.write_bytes(pack(TEXT))
    assert _content(path) == TEXT


@pytest.mark.parametrize(("suffix", "pack"), PACK)
def test_logs_that_were_compressed_in_parts_are_read_to_the_end(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"train.log{suffix}"
    path.write_bytes(pack(TEXT) + pack(b"the end\n"))
    assert _content(path) == TEXT + b"the end\n"


def test_zstandard_is_read_across_frames(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    pack = zstandard.ZstdCompressor().compress
    path = tmp_path / "train.log.zst"
    path.write_bytes(pack(TEXT) + pack(b"the end\n"))
    assert _content(path) == TEXT + b"the end\n"


def test_zstandard_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / "train.log.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + b"abc")
    with pytest.raises(UnreadableInputError, match=r"pip install 'firstfault\[zstd\]'"):
        _content(path)


def test_compression_shows_by_the_content_not_by_the_name(tmp_path: Path) -> None:
    (tmp_path / "rotated.log.1").write_bytes(gzip.compress(TEXT))
    (tmp_path / "plain.gz").write_bytes(TEXT)
    assert _content(tmp_path / "rotated.log.1") == TEXT
    assert _content(tmp_path / "plain.gz") == TEXT


def _until_broken(blocks: Iterator[bytes]) -> tuple[bytes, str]:
    got = b""
    try:
        for block in blocks:
            got += block
    except UnreadableInputError as error:
        return got, str(error)
    return got, "not broken"


@pytest.mark.parametrize(("suffix", "pack"), PACK)
def test_what_stands_before_a_broken_end_is_given_before_the_error(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    whole = os.urandom(2_000_000).hex().encode()  # bz2 gives nothing of a block of 900 kB that is not whole
    path = tmp_path / f"train.log{suffix}"
    packed = pack(whole)
    path.write_bytes(packed[: len(packed) * 9 // 10])
    item = Input("train", str(path))
    with open_input(item) as stream:
        got, message = _until_broken(read_blocks(stream, item.name))
    assert message.startswith("train: the compressed data is broken (")
    assert len(got) > len(whole) // 2
    assert whole.startswith(got)


def test_blocks_are_large_whatever_the_stream_gives_at_once(tmp_path: Path) -> None:
    path = tmp_path / "train.log.gz"
    path.write_bytes(gzip.compress(b"x" * 9_000_000))
    with open_input(Input("x", str(path))) as stream:
        sizes = [len(block) for block in read_blocks(stream, "x")]
    assert sum(sizes) == 9_000_000
    assert len(sizes) <= 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_entered_is_not_passed_over(place: Path) -> None:
    _make(place, "run/a.log", "run/closed/b.log")
    (place / "run" / "closed").chmod(0)
    try:
        closed = next(i for i in find_inputs(["run"]) if i.name.endswith("closed"))
        with pytest.raises(UnreadableInputError, match="permission denied"), open_input(closed):
            pass
    finally:
        (place / "run" / "closed").chmod(0o700)
