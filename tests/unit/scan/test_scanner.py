"""One pass over a stream: the same findings however it is cut into blocks, and memory that its size does not move."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from firstfault.engine import Engine
from firstfault.model import Finding, SourceScan

TRACEBACK = """\
[rank{r}]: Traceback (most recent call last):
[rank{r}]:   File "/workspace/train.py", line 88, in <module>
[rank{r}]:     main()
[rank{r}]:   File "/workspace/train.py", line 61, in main
[rank{r}]:     loss = step(batch)
[rank{r}]: KeyError: 'input_ids_{r}'
"""
WATCHDOG = (
    "[rank{r}]:[E1201 10:10:0{r}.000000000 ProcessGroupNCCL.cpp:629] [Rank {r}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600001 milliseconds before timing out.\n"
)
SUMMARY = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-12-01_10:10:09
  host      : node1
  rank      : 2 (local_rank: 2)
  exitcode  : 1 (pid: 4243)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""


def steps(first: int, count: int) -> str:
    return "".join(
        f"[rank{i % 4}]: 2026-12-01 10:00:00,{i % 1000:03d} INFO step {i} loss {2 + 1 / (i + 1):.4f}\n" for i in range(first, first + count)
    )


def eventful(gap: int) -> bytes:
    """A run with `gap` ordinary lines between its events."""
    return (
        steps(0, gap)
        + "world_size=4\n"
        + TRACEBACK.format(r=2)
        + steps(gap, gap)
        + WATCHDOG.format(r=0)
        + WATCHDOG.format(r=1)
        + steps(2 * gap, gap)
        + "[12345.678901] NVRM: Xid (PCI:0000:3b:00): 79, pid=4243, name=python, GPU has fallen off the bus.\n"
        + steps(3 * gap, gap)
        + SUMMARY
    ).encode()


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[i : i + size] for i in range(0, len(data), size))


def gist(scan: SourceScan) -> dict[str, object]:
    return {
        "findings": scan.findings,
        "exits": scan.exits,
        "lines": scan.info.lines,
        "bytes": scan.info.bytes,
        "world": [w.size for w in scan.worlds],
        "ending": scan.ending,
    }


@pytest.mark.parametrize(("gap", "size"), [(20, 1), (20, 7), (20, 100), (20, 4096), (2500, 4096), (2500, 65_537), (2500, 300_000)])
def test_the_findings_do_not_depend_on_where_blocks_are_cut(engine: Engine, gap: int, size: int) -> None:
    data = eventful(gap)
    whole = gist(engine.scan_blocks(iter([data]), "run.log"))
    assert gist(engine.scan_blocks(cut(data, size), "run.log")) == whole
    found = {f.signature for f in engine.scan_blocks(cut(data, size), "run.log").findings}
    assert {"structure/uncaught-exception", "gpu/xid-79"} <= found or any("xid" in name or "bus" in name for name in found)


def test_a_block_cut_inside_a_traceback_loses_nothing(engine: Engine) -> None:
    data = eventful(2500)
    edge = data.index(b"line 61, in main")
    scan = engine.scan_blocks(iter([data[:edge], data[edge:]]), "run.log")
    (raised,) = {f.raised for f in scan.findings if f.raised is not None and "KeyError" in f.raised.type}
    assert [frame.line for frame in raised.frames] == [88, 61]


def test_line_numbers_count_line_feeds_of_the_source_as_given(engine: Engine) -> None:
    log = "one\r\ntwo\rtwo again\n\n\x1b[31mRuntimeError: CUDA error: an illegal memory access was encountered\x1b[0m\n"
    assert {f.line for f in engine.scan_text(log).findings} == {4}


def test_the_last_line_counts_with_and_without_its_line_feed(engine: Engine) -> None:
    assert engine.scan_text("one\ntwo\n").info.lines == 2
    assert engine.scan_text("one\ntwo").info.lines == 2
    assert engine.scan_text("").info.lines == 0


def _cuda_errors(findings: tuple[Finding, ...]) -> list[Finding]:
    return [f for f in findings if "illegal memory access" in f.text]


@pytest.mark.parametrize("lead", [100, 20_000, 900_000], ids=["short line", "long line", "line longer than what is held"])
def test_an_error_far_out_on_a_long_line_is_found(engine: Engine, lead: int) -> None:
    log = b"start\n" + b"x" * lead + b" RuntimeError: CUDA error: an illegal memory access was encountered\nend\n"
    found = _cuda_errors(engine.scan_blocks(cut(log, 65_536), "run.log").findings)
    assert {f.line for f in found} == {2}


def test_an_error_behind_thousands_of_redraws_is_found(engine: Engine) -> None:
    bars = "".join(f"\r {i % 100}%|###       | {i}/9000 [00:10<01:13, 11.9it/s]" for i in range(9000))
    log = bars + "RuntimeError: CUDA error: an illegal memory access was encountered\n"
    assert _cuda_errors(engine.scan_text(log).findings)


def test_repeats_are_counted_and_not_kept(engine: Engine) -> None:
    line = "[rank1]: RuntimeError: CUDA error: an illegal memory access was encountered\n"
    findings = _cuda_errors(engine.scan_text(line * 5000).findings)
    by_signature: dict[str, list[Finding]] = {}
    for finding in findings:
        by_signature.setdefault(finding.signature, []).append(finding)
    assert by_signature
    for alike in by_signature.values():
        assert len(alike) <= 8
    assert sum(f.count for f in by_signature["structure/uncaught-exception"]) == 5000


def test_each_rank_keeps_its_own_findings(engine: Engine) -> None:
    log = "".join(f"[rank{i % 8}]: RuntimeError: CUDA error: an illegal memory access was encountered\n" for i in range(4000))
    assert {f.origin.rank for f in _cuda_errors(engine.scan_text(log).findings)} == set(range(8))


@pytest.mark.parametrize("ranks", [4, 100])
def test_what_is_recognised_in_a_traceback_belongs_to_it_however_many_there_are(engine: Engine, ranks: int) -> None:
    scan = engine.scan_text("".join(TRACEBACK.format(r=r) for r in range(ranks)))
    for signature in {f.signature for f in scan.findings}:
        found = [f for f in scan.findings if f.signature == signature]
        assert len(found) == ranks, signature
        assert all(f.block is not None for f in found), signature


def test_memory_does_not_grow_with_the_source(engine: Engine) -> None:
    block = steps(0, 2000).encode() + TRACEBACK.format(r=1).encode()

    def peak(blocks: int) -> int:
        tracemalloc.start()
        engine.scan_blocks((block for _ in range(blocks)), "run.log")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(2)
    assert peak(12) < 1.5 * peak(4)


def test_an_input_that_is_all_errors_gives_bounded_findings(engine: Engine) -> None:
    log = "".join(f"[rank{i}]: RuntimeError: widget {i} broke in a way never seen\n" for i in range(8500))
    assert len(engine.scan_text(log).findings) <= 8000
