"""Files that bear the name of a host which the logs of the run speak of, as `slurm-%j-%N.out` makes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from firstfault.correlate.hosts import short_host
from firstfault.correlate.origins import origins, with_origins
from firstfault.model import Provenance, SourceScan

_WORDS = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


def with_hosts_of_files(scans: Sequence[SourceScan]) -> list[SourceScan]:
    """The scans with the host in the name of their file, where that is a host by the word of some line; whatever hosts are called
    at a site, the logs themselves tell which words are names of hosts."""
    if len(scans) < 2:
        return list(scans)
    known = {short_host(host): host for scan in scans for host in _hosts(scan)}
    return [_on_host(scan, known) if known and scan.identity.host is None else scan for scan in scans]


def _hosts(scan: SourceScan) -> Iterator[str]:
    yield from (who.host for who in origins(scan) if who.host)
    yield from (e.host for e in scan.exits if e.host)
    yield from scan.hosts


def _on_host(scan: SourceScan, known: dict[str, str]) -> SourceScan:
    name = scan.info.name.replace("\\", "/").rsplit("/", 1)[-1]
    named = {known[word] for word in _parts(name) if word in known}
    if len(named) != 1:
        return scan
    (host,) = named

    def there(who: Provenance) -> Provenance:
        return who if who.host is not None else who._replace(host=host)

    return with_origins(scan, there)


def _parts(name: str) -> Iterator[str]:
    """The words of a file name, and what is left of them from each hyphen on and up to each one."""
    for word in _WORDS.findall(name):
        pieces = word.split("-")
        for start in range(len(pieces)):
            for end in range(start + 1, len(pieces) + 1):
                yield "-".join(pieces[start:end])
