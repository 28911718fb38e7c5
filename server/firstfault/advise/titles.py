"""What a fault is called, whether an entry, a table or only its structure knows it."""

from __future__ import annotations

from firstfault.advise.structure import CUT_OFF_TITLE
from firstfault.advise.table_row import describe_row, find_row
from firstfault.catalog.compiled import Catalog
from firstfault.correlate.deaths import Death
from firstfault.model import CUT_OFF, Finding
from firstfault.wording import exit_status

_SIGNALS = {1: "SIGHUP", 2: "SIGINT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}


def title_of(finding: Finding, catalog: Catalog) -> str:
    """The title of what a finding names."""
    known = catalog.by_id.get(finding.signature)
    if known is not None:
        return known.title
    row = find_row(finding.signature, catalog)
    if row is not None:
        return describe_row(row, "").title
    if finding.signature == CUT_OFF:
        return CUT_OFF_TITLE
    raised = finding.raised
    return f"Unhandled exception: {raised.type.rsplit('.', 1)[-1]}" if raised else finding.signature


def ended(death: Death) -> str:
    """How a process ended, in a few words."""
    if death.code is None:
        return "ended, status unknown"
    if death.told and death.code != 0:
        return f"ended by the launcher ({_code(death.code)})"
    return f"ended with {_code(death.code)}"


def _code(code: int) -> str:
    return f"{exit_status(code)}, {_SIGNALS[-code]}" if -code in _SIGNALS else exit_status(code)
