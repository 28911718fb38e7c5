"""A few faults of each kind stand for all of them: the answer is that of asking for each pair."""

from __future__ import annotations

import random

import pytest

from firstfault.correlate.accounting import Accounting
from firstfault.correlate.edges import Edges
from firstfault.correlate.faults import Fault
from firstfault.engine import Engine
from firstfault.model import NOBODY, Finding, Stamp

SIGNATURES = (
    "hardware/xid-79", "gpu/xid-79", "cuda/illegal-memory-access", "memory/cuda-out-of-memory", "collective/mismatch", "nccl/remote-error",
    "collective/watchdog-timeout", "launch/peer-connection-closed", "python/connection-error", "storage/no-space-left", "host/oom-killer",
)  # fmt: skip


@pytest.fixture(scope="module")
def edges(engine: Engine) -> Edges:
    return Edges(engine.catalog)


def some(count: int, seed: int, *, processes: int = 6) -> list[Fault]:
    """Faults in reading order, whose times go up in each process, on clocks that differ."""
    chance = random.Random(seed)
    skews = [chance.choice((0.0, 0.0, 300.0, -300.0)) for _ in range(processes)]
    faults: list[Fault] = []
    for order in range(count):
        process = chance.randrange(processes)
        host = chance.choice((f"node{process % 3}", f"node{process % 3}.example", None))
        stamp = Stamp(1e9 + order * 20 + skews[process], "") if chance.random() < 0.8 else None
        name = chance.choice(SIGNATURES)
        finding = Finding(
            signature=name, role="cause", scope="specific", severity="error", source=f"{process}", line=order, end_line=order,
            text=name, origin=NOBODY._replace(rank=process, host=host, stamp=stamp),
        )  # fmt: skip
        faults.append(Fault(finding, (), "cause", process, order, process, None, host, None, None, stamp, uncaught=False, count=1))
    return faults


@pytest.mark.parametrize("seed", range(60))
def test_the_faults_that_no_other_accounts_for(edges: Edges, seed: int) -> None:
    faults, accounting = some(60, seed), Accounting(edges)
    by_pairs = [f for f in faults if not any(g is not f and accounting.accounts(g, f) for g in faults)]
    assert [f.order for f in accounting.unaccounted(faults)] == [f.order for f in by_pairs]


@pytest.mark.parametrize("seed", range(60))
def test_the_faults_that_account_for_later_ones(edges: Edges, seed: int) -> None:
    faults, accounting = some(60, seed), Accounting(edges)
    causes, effects = faults[::2], faults[1::2]
    by_pairs = [c for c in causes if any(c.order < e.order and c.signature != e.signature and accounting.accounts(c, e) for e in effects)]
    assert [f.order for f in accounting.accounting(causes, effects, later=True)] == [f.order for f in by_pairs]


class Counted(Edges):
    """The edges of the catalogue, which know how often they were asked."""

    asked = 0

    def explanation(self, cause: Fault, effect: Fault) -> str | None:
        self.asked += 1
        return super().explanation(cause, effect)


def test_ten_times_the_faults_take_about_ten_times_as_many_questions(engine: Engine) -> None:
    def asked(count: int) -> int:
        edges = Counted(engine.catalog)
        Accounting(edges).unaccounted(some(count, 1, processes=count // 4))
        return edges.asked

    assert asked(5000) < 15 * asked(500)
