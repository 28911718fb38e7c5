"""How a text of scanned pieces ends, and what its processes last said before things were found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from firstfault.model import Progress
from firstfault.scan.losses import judge_values
from firstfault.scan.parts import PartScanner
from firstfault.scan.piece_end import ENDING, PieceEnd, moved_end, piece_end
from firstfault.scan.progress import followed
from firstfault.scan.scanner import LOOK_BACK, MOST_REGIONS
from firstfault.scan.segments import STRETCH, Ending, Scanned, Segments, joined, positions


def end_of(segments: Segments, scanner: PartScanner) -> tuple[Ending, Segments]:
    """The ending of completely scanned pieces; the segments come back with what was worked out, for the next time."""
    done = segments.done
    moves = [by for _, by in positions(done)]
    regions = [*_regions(done), _tail(done)]
    indexes = sorted({i for region in regions for i in region})
    watched = tuple((done[i], moves[i]) for i in indexes)
    if segments.ending is not None and _same(segments.ending.watched, watched):
        return segments.ending, segments
    known = {id(item): end for item, end in segments.ends}
    ends = {i: known.get(id(done[i])) or _look(scanner, done[i]) for i in indexes}
    moved = {index: moved_end(end, moves[index]) for index, end in ends.items()}
    tail = [moved[i] for i in regions[-1]]
    last = [line for end in tail for line in end.last][-ENDING:]
    ending = Ending(
        watched=watched,
        progress=_merged([_chained(moved[i] for i in region) for region in regions]),
        last=tuple(line for line in last if line[1].strip()),
        loss=judge_values([value for end in tail for value in end.losses], scanner.name),
    )
    return ending, segments._replace(ends=tuple((done[i], end) for i, end in ends.items()), ending=ending)


def lines_of(done: Sequence[Scanned]) -> int:
    """Number of lines of the text."""
    if not done:
        return 0
    return sum(item.piece.feeds for item in done) + (0 if done[-1].piece.text.endswith("\n") else 1)


def _same(one: Sequence[tuple[Scanned, int]], other: Sequence[tuple[Scanned, int]]) -> bool:
    return len(one) == len(other) and all(a[0] is b[0] and a[1] == b[1] for a, b in zip(one, other, strict=True))


def _look(scanner: PartScanner, item: Scanned) -> PieceEnd:
    window = scanner.window(joined((item.piece,)), item.first_line, item.before.section)
    blocks = [(c.block.start_line, c.block.end_line, c.process) for c in item.before.covered]
    return piece_end(scanner.shown(window), scanner.name, [*blocks, *item.found.spans])


def _tail(done: Sequence[Scanned]) -> range:
    return _around(done, len(done), LOOK_BACK, 0)


def _regions(done: Sequence[Scanned]) -> Iterator[range]:
    """Around the first hint of each stretch, once something was found."""
    given = passed = 0
    hint: int | None = None
    found = False
    for index, item in enumerate(done):
        found = found or bool(item.found.groups)
        if hint is None and item.found.first is not None:
            hint = index
        passed += len(item.piece.text)
        if passed >= STRETCH or index == len(done) - 1:
            if hint is not None and found and given < MOST_REGIONS:
                given += 1
                yield _around(done, hint, LOOK_BACK, LOOK_BACK)
            passed, hint = 0, None


def _around(done: Sequence[Scanned], index: int, back: int, ahead: int) -> range:
    first, last = index, index
    while first > 0 and back > 0:
        first -= 1
        back -= len(done[first].piece.text)
    while last < len(done) and ahead > 0:
        ahead -= len(done[last].piece.text)
        last += 1
    return range(first, last)


def _chained(ends: Iterable[PieceEnd]) -> dict[tuple[object, ...], Progress]:
    """The last line of each process in pieces that follow each other."""
    out: dict[tuple[object, ...], Progress] = {}
    for end in ends:
        for progress in end.progress:
            finished = progress.finished
            out[progress.process] = followed(out.get(progress.process), progress)._replace(finished=finished)
    return out


def _merged(regions: Iterable[dict[tuple[object, ...], Progress]]) -> tuple[Progress, ...]:
    out: dict[tuple[object, ...], Progress] = {}
    for region in regions:
        for process, progress in region.items():
            out[process] = followed(out.get(process), progress)
    return tuple(out.values())
