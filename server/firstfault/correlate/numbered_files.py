"""Which files of a folder are those of tasks 0, 1, 2 … of one job step, as `srun --output=%x-%j-%t.log` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from firstfault.correlate.origins import origins, with_origins
from firstfault.correlate.world import world_size
from firstfault.lazy import Lazy
from firstfault.model import Provenance, SourceScan

_NUMBER = Lazy(r"\d{1,7}")
_OF_TASKS = Lazy(r"(?i)(?:slurm|srun|task)[^/]*$")
"""Words in the name of a file that say what the number counts."""


def with_tasks_of_files(scans: Sequence[SourceScan]) -> list[SourceScan]:
    """The scans with the task that the number in the name of their file stands for. Files whose names differ in one number
    alone, which counts from 0 without a gap, are taken for those of tasks where something else agrees: a word in the name, the
    world size, or a line whose own rank is that number."""
    tasks: dict[int, int] = {}
    unknown = [index for index, scan in enumerate(scans) if _says_nothing(scan.identity)]
    for group in _alike(unknown, scans):
        tasks.update(_tasks(group, scans))
    return [_with_task(scan, tasks[index]) if index in tasks else scan for index, scan in enumerate(scans)]


def _says_nothing(identity: Provenance) -> bool:
    return identity.rank is None and identity.local_rank is None and identity.host is None and identity.task is None


def _alike(unknown: Iterable[int], scans: Sequence[SourceScan]) -> Iterator[list[int]]:
    """Scans whose files have the same name but for numbers."""
    groups: dict[str, list[int]] = {}
    for index in unknown:
        groups.setdefault(_NUMBER.sub("#", scans[index].info.name), []).append(index)
    return (group for group in groups.values() if len(group) > 1)


def _tasks(group: Sequence[int], scans: Sequence[SourceScan]) -> dict[int, int]:
    numbers = {index: [int(n[0]) for n in _NUMBER.finditer(scans[index].info.name)] for index in group}
    columns = list(zip(*numbers.values(), strict=True))
    counting = [column for column, values in enumerate(columns) if len(set(values)) > 1]
    if len(counting) != 1 or sorted(columns[counting[0]]) != list(range(len(group))):
        return {}
    tasks = {index: of_file[counting[0]] for index, of_file in numbers.items()}
    return tasks if _confirmed(tasks, scans) else {}


def _confirmed(tasks: dict[int, int], scans: Sequence[SourceScan]) -> bool:
    own = [scans[index] for index in tasks]
    if any(_OF_TASKS.search(scan.info.name) for scan in own) or world_size(own, ()) == len(tasks):
        return True
    return any(who.rank == task for index, task in tasks.items() for who in origins(scans[index]))


def _with_task(scan: SourceScan, task: int) -> SourceScan:
    def numbered(who: Provenance) -> Provenance:
        return who if who.task is not None else who._replace(task=task)

    exits = tuple(e if e.task is not None else e._replace(task=task) for e in scan.exits)
    return with_origins(scan, numbered)._replace(exits=exits)
