"""The kernel counts seconds since boot; some of its lines also tell the time of day."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine
from firstfault.read.boot_clock import BootClock, boot_of

BOOT = 1796086613.0
BOTH = [
    "[    1.500000] rtc_cmos 00:01: setting system clock to 2026-12-01T00:56:54 UTC (1796086614)",
    '[  100.500000] audit: type=1400 audit(1796086713.500:12): apparmor="STATUS" operation="profile_load"',
    "2026-12-01T00:58:33.000000+00:00 node1 kernel: [  100.000000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module",
    "2026-12-01T01:58:33.000000+01:00 node1 kernel: [  100.000000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module",
]


@pytest.mark.parametrize("line", BOTH)
def test_a_line_that_tells_both_times_tells_when_the_machine_booted(line: str) -> None:
    assert boot_of(line) == pytest.approx(BOOT, abs=1.0)


@pytest.mark.parametrize(
    "line",
    [
        "[12345.678901] NVRM: Xid (PCI:0000:91:00): 79, GPU has fallen off the bus.",
        "2026-12-01T00:58:33Z node1 kernel: usb 1-1: new device",
        "audit(1796086713.500:12): without the kernel's own time",
        "step 3 loss 2.1",
    ],
)
def test_a_line_with_one_of_them_does_not(line: str) -> None:
    assert boot_of(line) is None


def test_one_line_among_many_is_enough() -> None:
    clock = BootClock()
    for block in ("[    9.000000] usb 1-1: new device\n" * 1000, BOTH[1] + "\n", "[  200.000000] eth0: link up\n" * 1000):
        clock.note(block.encode())
    assert clock.boot == pytest.approx(BOOT)


@pytest.mark.parametrize("where", [0, 20, 40])
def test_of_a_large_log_the_ends_are_looked_at_in_full(where: int) -> None:
    """In between a glance at each block is enough: where kernel lines tell both times, many do."""
    block = "2026-12-01 02:24:58,123 INFO step 1 loss 2.1\n" * 20000
    blocks = [block] * 41
    blocks[where] = block * (where != 20) + BOTH[2] + "\n" + block
    clock = BootClock()
    for number, text in enumerate(blocks, start=1):
        clock.note(text.encode(), final=number == len(blocks))
    assert clock.boot == pytest.approx(BOOT)


def test_a_kernel_log_says_when_its_machine_booted(engine: Engine) -> None:
    log = f"{BOTH[1]}\n[12345.678901] NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
    assert engine.scan_text(log, "node1.dmesg").boot == pytest.approx(BOOT)
    assert engine.scan_text("step 1\nstep 2\n").boot is None
