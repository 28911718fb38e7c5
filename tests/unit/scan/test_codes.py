"""A code of a table leads to the entry of the catalogue that explains it, in whatever way the line spells it."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine

KNOWN = {
    "NVRM: Xid (PCI:0000:41:00): 79, pid=1234, GPU has fallen off the bus.": "gpu/xid-79-fallen-off-bus",
    "node1:19:20 [1] NCCL WARN NET/IBP:Got completion from peer 10.0.0.2<36315> with status=12 opcode=1 len=0 vendor err 129 (Send)": (
        "network/ib-transport-retry-exceeded"
    ),
    "nvmlDeviceGetHandleByIndex(3) returned NVML_ERROR_GPU_IS_LOST": "gpu/gpu-lost",
    "nvmlInit_v2 returned NVML_ERROR_CORRUPTED_INFOROM": "gpu/inforom-corrupted",
}


@pytest.mark.parametrize(("line", "entry"), KNOWN.items(), ids=KNOWN.values())
def test_a_code_is_explained_by_its_entry(engine: Engine, line: str, entry: str) -> None:
    findings = engine.scan_text(line + "\n").findings
    assert {finding.signature for finding in findings} == {entry}


def test_a_code_without_an_entry_is_named_by_its_table_row(engine: Engine) -> None:
    line = "node1:19:20 [1] NCCL WARN NET/IB : Got completion with status=2 opcode=0 len=0 vendor err 104\n"
    (finding,) = engine.scan_text(line).findings
    assert finding.signature == "table/ib-completion-status/2"
