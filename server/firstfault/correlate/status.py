"""How sure a diagnosis is, by what its entry asks for."""

from firstfault.correlate.case import Case
from firstfault.correlate.deaths import Death
from firstfault.correlate.decision import Status
from firstfault.correlate.faults import Fault
from firstfault.model import Finding


def status_of(case: Case, fault: Fault) -> tuple[Status, float]:
    """Status and calibrated confidence of a fault taken as first."""
    finding = fault.best
    signature = case.catalog.by_id.get(finding.signature)
    if signature is None:
        return ("likely", 0.6)
    if finding.lasting and not case.judge.run_failed:
        return ("undetermined", 0.5)
    met = [r for r in signature.requires if _met(r, fault, finding, case)]
    if finding.scope == "class":
        return ("established", 0.75) if met else ("likely", 0.6)
    return ("established", 0.93) if met else ("likely", 0.75)


def _met(requirement: str, fault: Fault, finding: Finding, case: Case) -> bool:
    kind, _, value = requirement.partition(":")
    own = [d for d in case.deaths.all if _same(d, fault)]
    if kind == "match":
        return True
    if kind == "uncaught":
        return fault.uncaught
    if kind == "died":
        return any(d.code not in (0, None) for d in own) or (case.judge.run_failed and not own)
    if kind == "nearby":
        return finding.nearby
    if kind == "two-patterns":
        return len({p for f in case.faults if f.signature == fault.signature for p in f.best.patterns}) >= 2
    if kind == "collateral":
        return bool(case.effects or case.wrappers)
    if kind == "signal":
        return any(d.signature == f"launch/worker-{value.lower()}" for d in own or case.deaths.all)
    if kind == "exit":
        return any(str(d.code) == value for d in own or case.deaths.all)
    return False


def _same(death: Death, fault: Fault) -> bool:
    if death.rank is not None and fault.rank is not None:
        return death.rank == fault.rank
    return death.pid is not None and death.pid == fault.pid
