"""Keeps what was said in a given time; what carries no time stays, since nobody can tell."""

from collections.abc import Sequence

from firstfault.correlate.order import apart
from firstfault.model import SourceScan, Stamp


def within(scans: Sequence[SourceScan], since: Stamp | None, until: Stamp | None) -> list[SourceScan]:
    """The scans with only those findings and exits that are not stamped before `since` or after `until`."""

    def inside(stamp: Stamp | None) -> bool:
        early = apart(since, stamp)
        late = apart(stamp, until)
        return not ((early is not None and early < 0) or (late is not None and late < 0))

    if since is None and until is None:
        return list(scans)
    return [
        s._replace(
            findings=tuple(f for f in s.findings if inside(f.origin.stamp)),
            exits=tuple(e for e in s.exits if inside(e.stamp)),
        )
        for s in scans
    ]
