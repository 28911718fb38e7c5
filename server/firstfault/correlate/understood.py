"""The sources of a run as they are to be understood together: who wrote what, by all that any of them tells."""

from __future__ import annotations

from collections.abc import Sequence

from firstfault.correlate.hosts_of_files import with_hosts_of_files
from firstfault.correlate.introduced import with_introduced_ranks
from firstfault.correlate.numbered_files import with_tasks_of_files
from firstfault.correlate.tasks import with_ranks_of_tasks
from firstfault.model import SourceScan


def understood(scans: Sequence[SourceScan]) -> list[SourceScan]:
    """The scans with hosts and ranks that no source tells by itself. What lines say comes before what files are called."""
    return with_ranks_of_tasks(with_tasks_of_files(with_introduced_ranks(with_hosts_of_files(scans))))
