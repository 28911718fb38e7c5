"""One pass over raw bytes; its compiled form is kept on disk, and a cache that is no good does no harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from firstfault.catalog.compiled import Catalog
from firstfault.engine import Engine
from firstfault.scan.database_cache import MOST_STORED, DatabaseCache
from firstfault.scan.prefilter import Prefilter
from firstfault.scan.triggers import TRIGGERS

LOG = (
    b"step 1 loss 0.5\nTraceback (most recent call last):\n"
    b"RuntimeError: CUDA ERROR: an ILLEGAL memory access was encountered\nOSError: [Errno 28] No space left on device\n"
)


@pytest.fixture
def cache(tmp_path: Path) -> DatabaseCache:
    return DatabaseCache(str(tmp_path / "deep" / "cache"))


def _files(cache: DatabaseCache) -> list[Path]:
    return sorted(Path(cache.folder).iterdir())


def test_a_second_start_finds_the_same_from_the_cache(engine: Engine, cache: DatabaseCache) -> None:
    first = Prefilter(engine.catalog, TRIGGERS, cache)
    (stored,) = _files(cache)
    written = stored.stat().st_mtime_ns
    second = Prefilter(engine.catalog, TRIGGERS, cache)
    assert first.scan(LOG) == second.scan(LOG) != []
    assert stored.stat().st_mtime_ns == written


@pytest.mark.parametrize("damage", [b"", b"not a database", b"\0" * 5000], ids=["empty", "text", "zeros"])
def test_a_damaged_cache_is_made_anew(engine: Engine, cache: DatabaseCache, damage: bytes) -> None:
    found = Prefilter(engine.catalog, TRIGGERS, cache).scan(LOG)
    (stored,) = _files(cache)
    stored.write_bytes(damage)
    assert Prefilter(engine.catalog, TRIGGERS, cache).scan(LOG) == found
    assert stored.read_bytes() != damage


def test_a_cache_that_was_cut_off_is_made_anew(engine: Engine, cache: DatabaseCache) -> None:
    found = Prefilter(engine.catalog, TRIGGERS, cache).scan(LOG)
    (stored,) = _files(cache)
    whole = stored.read_bytes()
    stored.write_bytes(whole[: len(whole) // 2])
    assert Prefilter(engine.catalog, TRIGGERS, cache).scan(LOG) == found


def test_a_cache_that_cannot_be_written_is_done_without(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    blocked = DatabaseCache(str(tmp_path / "file" / "cache"))
    assert Prefilter(engine.catalog, TRIGGERS, blocked).scan(LOG)


def test_another_catalogue_has_another_cache_file(engine: Engine, cache: DatabaseCache) -> None:
    Prefilter(engine.catalog, TRIGGERS, cache)
    Prefilter(engine.catalog, TRIGGERS[:-1], cache)
    assert len(_files(cache)) == 2


def test_only_the_newest_are_kept(cache: DatabaseCache) -> None:
    for number in range(MOST_STORED + 5):
        cache.write(f"{number:04d}", b"database")
        os.utime(Path(cache.folder) / f"patterns-{number:04d}.bin", (number, number))
    assert [p.name for p in _files(cache)] == [f"patterns-{number:04d}.bin" for number in range(5, MOST_STORED + 5)]


def test_only_the_user_may_read_the_cache_folder(cache: DatabaseCache) -> None:
    cache.write("k", b"x")
    assert os.stat(cache.folder).st_mode & 0o077 == 0
    assert cache.read("k") == b"x"
    assert cache.read("other") is None


@pytest.mark.parametrize(
    ("line", "trigger"),
    [
        (b"Traceback (most recent call last):\n", "traceback"),
        (b"ValueError: x\n", "exception"),
        (b"OSError: [Errno 28] No space left on device\n", "exception"),
        (b"IOError: x\n", "exception"),
        (b"EOFError\n", "exception"),
        (b"torch.distributed.DistBackendError: NCCL error\r\n", "exception"),
        (b"SystemExit: 1\n", "exception"),
        (b"KeyboardInterrupt\n", "exception"),
        (b"ray.exceptions.RayTaskError(KeyError): x\n", "exception"),
        (b"terminate called after throwing an instance of 'std::bad_alloc'\n", "terminate"),
        (b"Fatal Python error: Segmentation fault\n", "native"),
        (b"Segmentation fault (core dumped)\n", "native"),
        (b"double free or corruption (!prev)\n", "native"),
        (b"thread 'main' panicked at src/main.rs:1:1:\n", "native"),
        (b"panic: runtime error: index out of range\n", "native"),
        (b'Exception in thread "main" java.lang.OutOfMemoryError\n', "native"),
        (b"failed (exitcode: -9) local_rank: 0 (pid: 1)\n", "exit"),
        (b"srun: error: node1: task 3: Killed\n", "exit"),
        (b"command terminated with exit code 137\n", "exit"),
        (b"make: *** [Makefile:3: train] Error 1\n", "exit"),
        (b"Killed\n", "exit"),
        (b"Root Cause (first observed failure):\n", "summary"),
        (b"==> node1.log <==\n", "section"),
        (b"world_size=8\n", "world"),
    ],
)
def test_structure_opens_without_any_signature(line: bytes, trigger: str) -> None:
    bare = Prefilter(Catalog({"signatures": []}, dict), TRIGGERS)
    names = {bare.trigger(identifier) for identifier, _ in bare.scan(b"step 1\n" + line + b"step 2\n")}
    assert trigger in names


@pytest.mark.parametrize(
    "line", [b"step 100 loss 2.1 errors=0\n", b"no errors found\n", b"INFO resuming from step 4000\n", b"epoch 3 done in 12.1 s\n"]
)
def test_ordinary_lines_open_nothing(line: bytes) -> None:
    bare = Prefilter(Catalog({"signatures": []}, dict), TRIGGERS)
    assert bare.scan(line) == []


def test_literals_are_found_without_regard_to_case(engine: Engine) -> None:
    prefilter = Prefilter(engine.catalog, TRIGGERS)

    def reached(data: bytes) -> set[tuple[int, int]]:
        found = {identifier for identifier, _ in prefilter.scan(data) if prefilter.trigger(identifier) is None}
        return {target for identifier in found for target in prefilter.targets(identifier)}

    assert (
        reached(b"CUDA ERROR: AN ILLEGAL MEMORY ACCESS was encountered")
        == reached(b"cuda error: an illegal memory access was encountered")
        != set()
    )
