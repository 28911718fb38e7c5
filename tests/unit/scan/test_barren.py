"""Lines that gave nothing are remembered by their shape; that must never hide a line of the same shape that matters."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine
from firstfault.model import SourceScan

ORDINARY = "step {n} loss 2.1\n"


def scan(engine: Engine, log: str) -> SourceScan:
    return engine.scan_blocks(iter([log.encode()]), "run.log")


PAIRS = [
    pytest.param(
        "[{n}.000000] NVRM: Xid (PCI:0000:3b:00): 13, pid=4243, Graphics SM Warp Exception\n",
        "[99.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid=4243, GPU has fallen off the bus.\n",
        id="Xid 13 before Xid 79",
    ),
    pytest.param(
        "[{n}.000000] NVRM: Xid (PCI:0000:3b:00): 43, pid=4243, Ch 00000010\n",
        "[99.000000] NVRM: Xid (PCI:0000:3b:00): 48, pid=4243, DBE (double bit error) ECC Error\n",
        id="Xid 43 before Xid 48",
    ),
    pytest.param(
        "CUDA failure 0 at step {n}\n",
        "RuntimeError: CUDA error: an illegal memory access was encountered\n",
        id="counters before the error",
    ),
    pytest.param(
        "OSError handler {n} [Errno 11] Resource temporarily unavailable, ignored\n",
        "OSError: [Errno 28] No space left on device: '/ckpt/step_99.pt'\n",
        id="errno 11 before errno 28",
    ),
]


@pytest.mark.parametrize(("harmless", "harmful"), PAIRS)
def test_what_stands_alone_is_found_behind_a_thousand_harmless_lines_too(engine: Engine, harmless: str, harmful: str) -> None:
    alone = {f.signature for f in scan(engine, harmful).findings}
    flood = "".join(harmless.format(n=n % 100) + ORDINARY.format(n=n) for n in range(1000))
    after = {f.signature for f in scan(engine, flood + harmful).findings}
    assert alone
    assert alone <= after


EXITS = [
    ("process exited with code {n}\n", 0, 1),
    ("command terminated with exit code {n}\n", 0, 137),
    ("worker 3 exit code: {n}\n", 0, 1),
    ("exit code: {n}\n", 0, 1),
]


@pytest.mark.parametrize(("form", "harmless", "harmful"), EXITS)
def test_an_exit_code_is_read_behind_a_thousand_zeros_too(engine: Engine, form: str, harmless: int, harmful: int) -> None:
    def codes(log: str) -> set[int | None]:
        return {e.code for e in scan(engine, log).exits}

    (alone,) = codes(form.format(n=harmful))
    flood = "".join(form.format(n=harmless) + ORDINARY.format(n=n) for n in range(1000))
    assert alone not in (0, None)
    assert alone in codes(flood + form.format(n=harmful))


def test_ranks_of_the_same_shape_are_told_apart(engine: Engine) -> None:
    flood = "".join(f"[rank{n % 8}]: ValueError handler {n} ignored\n" for n in range(1000))
    log = flood + "".join(f"[rank{r}]: ValueError: bad batch {r}\n" for r in range(8))
    ranks = {f.origin.rank for f in scan(engine, log).findings if "bad batch" in f.text}
    assert ranks == set(range(8))
