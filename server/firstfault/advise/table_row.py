"""What a table says of a code that no entry explains."""

from __future__ import annotations

from firstfault.advise.structure import Described
from firstfault.catalog.compiled import Catalog
from firstfault.catalog.table_match import TableRow, row_of
from firstfault.report import FixStep, VerifyStep

_SPOKEN = {
    "xid": "Xid {code}",
    "sxid": "SXid {code}",
    "cuda-errors": "CUDA error {code}",
    "nccl-results": "NCCL result {code}",
    "slurm-states": "Slurm state",
    "kubernetes-reasons": "Kubernetes reason",
    "ib-completion-status": "InfiniBand completion status {code}",
    "nvml-results": "NVML result {code}",
}


def find_row(signature: str, catalog: Catalog) -> TableRow | None:
    """The row that a finding `table/<table>/<code>` names."""
    kind, _, rest = signature.partition("/")
    table, _, code = rest.partition("/")
    if kind != "table" or table not in catalog.table_names:
        return None
    return next((row_of(table, row) for row in catalog.table(table) if row["code"] == code), None)


def describe_row(row: TableRow, text: str) -> Described:
    """Words for a fault that only a table knows."""
    spoken = _SPOKEN.get(row.table, row.table).format(code=row.code)
    action = row.action or "Read what the program printed before it"
    query = f"{row.table.partition('-')[0]} {row.code}"
    return Described(
        title=f"{spoken}: {row.name}"[:120],
        category=row.table,
        cause=f"{row.meaning} The log says: “{' '.join(text.split())[:240]}”",
        fix=[
            FixStep(
                text=action,
                command=None,
                edit=None,
                caution=None,
                kind="hardware" if row.owner == "hardware" else "environment",
                risk="admin",
            )
        ],
        verify=[
            VerifyStep(
                text="Run the same job again and look for the code",
                command=f"firstfault explain {query}",
                expect=f"{spoken} does not come back",
            )
        ],
        missing=[],
        next_action=action,
    )
