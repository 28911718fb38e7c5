"""Turns a stream of bytes into findings, in one pass and in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

from firstfault.blocks.exits import parse_exit, parse_summary
from firstfault.blocks.native import read_native, read_terminate
from firstfault.blocks.traceback import HEADER
from firstfault.blocks.unframed import named_by_structure, read_exception, read_traceback
from firstfault.catalog.compiled import Catalog, Signature
from firstfault.model import NOBODY, Block, Finding, Line, LineNumber, ProcessExit, Progress, Provenance, Raised, SourceInfo, SourceScan
from firstfault.read.clean import decode
from firstfault.read.provenance import LineFormat, Prefixes, section_of
from firstfault.scan.barren import BarrenShapes
from firstfault.scan.candidates import Candidate, find_candidates
from firstfault.scan.codes import CodeReader
from firstfault.scan.coverage import Coverage, Covered
from firstfault.scan.folded import MOST_FINDINGS, Folded
from firstfault.scan.logged import Speaker, speaker_of
from firstfault.scan.losses import judge_losses
from firstfault.scan.prefilter import TABLES, Prefilter
from firstfault.scan.progress import followed, observe
from firstfault.scan.run_facts import RunFacts
from firstfault.scan.verify import Verified, found, frames_text, verify
from firstfault.scan.window import Window

LOOK_BACK = 64 * 1024
LOOK_AHEAD = 128 * 1024
LONGEST_BLOCK = 1500
"""Lines that one block may span, lines of other processes between them included."""
NEARBY_LINES = 60
MOST_REGIONS = 8
MOST_SPANS = 500


class SourceScanner:
    """Scanner of one source: feed it bytes, then ask for what it found."""

    def __init__(self, catalog: Catalog, prefilter: Prefilter, formats: list[LineFormat], identity: Provenance, name: str) -> None:
        self.name = name
        self._identity = identity
        self._signatures = catalog.signatures
        self._paths = catalog.path_formats
        self._sections: list[tuple[int, Provenance]] = []
        self._prefilter = prefilter
        self._prefixes = Prefixes(formats, identity)
        self._carried = b""
        self._carried_line = 1
        self._carried_offset = 0
        self._processed = 0
        self.folded = Folded()
        self._barren = BarrenShapes(catalog)
        self._codes = CodeReader(catalog)
        self._by_id = catalog.by_id
        self._exits: list[ProcessExit] = []
        self._spans: deque[tuple[int, int, tuple[object, ...]]] = deque(maxlen=MOST_SPANS)
        self._progress: dict[tuple[object, ...], Progress] = {}
        self._regions = 0
        self._summary_end = 0
        self._covered: list[Covered] = []
        self._coverage = Coverage()
        self._first: int | None = None
        self.facts = RunFacts()
        self.lines = 0
        self._ending: tuple[tuple[int, str], ...] = ()

    # --- input -------------------------------------------------------------------------------------------------------

    def feed(self, block: bytes, *, final: bool = False) -> None:
        """Scan the next bytes; with `final` nothing follows them."""
        data = self._carried + block if self._carried else block
        window = Window(data, self._carried_line, self._carried_offset, self._prefixes, self._sections)
        edge = len(data) if final else data.rfind(b"\n", 0, max(0, len(data) - LOOK_AHEAD)) + 1
        if not final and edge <= self._processed and len(data) > 4 * LOOK_AHEAD + self._processed:
            edge = len(data) - LOOK_AHEAD
        if edge > self._processed:
            self._scan(window, edge)
            self._barren.settle()
            self._processed = edge
        if final:
            self._close(window)
        else:
            self._carry(data, window)

    def _carry(self, data: bytes, window: Window) -> None:
        keep = max(0, self._processed - LOOK_BACK)
        keep = data.rfind(b"\n", 0, keep) + 1 if keep else 0
        if self._processed - keep > 4 * LOOK_BACK:
            keep = self._processed
        self._carried_line = window.number_of(keep) if keep else self._carried_line
        self._carried_offset += keep
        self._carried = data[keep:]
        self._processed -= keep

    def _close(self, window: Window) -> None:
        data = window.data
        last = len(data) - 1 if data.endswith(b"\n") else len(data)
        self.lines = window.number_of(window.start_of(last)) if data else 0
        start = data.rfind(b"\n", 0, max(0, len(data) - LOOK_BACK)) + 1
        tail = [line for _, line in self._region(window, start, len(data))]
        self._ending = tuple((line.number, line.text[:300]) for line in tail[-12:] if line.text.strip())
        self._observe(tail)
        loss = judge_losses(tail, self.name)
        if loss is not None:
            self.folded.add(loss, alike=("loss", loss.signature))

    # --- one window --------------------------------------------------------------------------------------------------

    def _scan(self, window: Window, edge: int) -> None:
        hints = find_candidates(window, self._processed, edge, self._prefilter, wants_world=self.facts.wants_world)
        candidates = [c for c in hints if not self._barren.holds(window, c.start, c.triggers, c.targets)]
        covered = self._covered = self._reaching(window.number_of(self._processed)) if self._covered else []
        self._coverage = Coverage(covered)
        self._first = candidates[0].start if candidates else None
        if not candidates:
            return
        for candidate in candidates if window.hits is None else ():
            if "section" in candidate.triggers:
                self._note_section(window, candidate.start, self._sections)
                self.facts.note_sections(who for _, who in self._sections[-1:])
        for candidate in candidates:
            self._open_blocks(window, candidate, covered)
        for candidate in candidates:
            self._structure(window, candidate)
        self._recognise(window, candidates, covered)
        for candidate in candidates:
            if not candidate.fruitful:
                self._barren.note(window, candidate.start, candidate.triggers, candidate.targets)
        if self._regions < MOST_REGIONS and (covered or self.folded):
            self._regions += 1
            first = candidates[0].start
            start = window.start_of(max(0, first - LOOK_BACK))
            self._observe([line for _, line in self._region(window, start, first + LOOK_BACK)])

    def _note_section(self, window: Window, start: int, sections: list[tuple[int, Provenance]]) -> None:
        who = section_of(decode(window.data[start : window.end_of(start)]), self._paths)
        if who is not None:
            sections.append((window.offset_of(start), who))

    def _reaching(self, line: LineNumber) -> list[Covered]:
        return [c for c in self._covered if c.end_line >= line]

    def _region(self, window: Window, start: int, end: int) -> Iterator[tuple[int, Line]]:
        yield start, window.line_at(start)
        for position, line in window.after(start, 100_000):
            if position >= end:
                return
            yield position, line

    def _observe(self, lines: list[Line]) -> None:
        for progress in observe(lines, self.name, self._spans):
            self._progress[progress.process] = followed(self._progress.get(progress.process), progress)

    # --- structure ---------------------------------------------------------------------------------------------------

    def _open_blocks(self, window: Window, candidate: Candidate, covered: list[Covered]) -> None:
        kinds = candidate.triggers & {"traceback", "exception", "terminate", "native"}
        if not kinds:
            return
        for line in window.lines_at(candidate.start, candidate.position):
            if self._coverage.find(line):
                candidate.fruitful = True
                continue
            process = line.process
            following = partial(self._following, window, candidate.start)
            if "traceback" in kinds and HEADER.match(line.text):
                raised, end, process = read_traceback(line, following)
                speaker = speaker_of(window, candidate.start, line)
                block = self._block("traceback", line, end, raised, speaker) if raised else None
            else:
                block = self._read_block(window, candidate, line, kinds, following())
            if block is not None:
                candidate.fruitful = True
                item = Covered(block, process, block.end_line)
                covered.append(item)
                self._coverage.add(item)
                self._spans.append((block.start_line, block.end_line, process))
                return

    @staticmethod
    def _following(window: Window, start: int) -> Iterator[Line]:
        return (after for _, after in window.after(start, LONGEST_BLOCK))

    def _read_block(self, window: Window, candidate: Candidate, line: Line, kinds: set[str], following: Iterator[Line]) -> Block | None:
        if "terminate" in kinds and (native := read_terminate(line, following)):
            return self._block("native", line, native.end_line, (native,))
        if "native" in kinds and (native := read_native(line, following)):
            return self._block("native", line, native.end_line, (native,))
        if "exception" in kinds:
            before = (earlier for _, earlier in window.before(candidate.start, 120))
            alone = read_exception(line, before, following)
            if alone:
                return self._block("exception", line, alone.end_line, (alone,))
        return None

    def _block(self, kind: str, line: Line, end: int, raised: tuple[Raised, ...], speaker: Speaker | None = None) -> Block:
        origin, step, ignored = speaker or Speaker(line.origin)
        block = Block(
            kind=kind,  # pyright: ignore[reportArgumentType]
            source=self.name,
            start_line=min(line.number, raised[0].start_line),
            end_line=end,
            origin=origin,
            text=raised[-1].message,
            raised=raised,
            logged=line.origin.level is not None and "torch-cpp" not in line.prefix,
            step=step,
            ignored=ignored,
        )
        last = raised[-1]
        signature, role = named_by_structure(kind, last)
        self.folded.add(
            Finding(
                signature=signature,
                role=role,
                scope="structure",
                severity="error",
                source=self.name,
                line=last.line,
                end_line=last.end_line,
                text=last.message,
                origin=origin,
                block=block,
                raised=last,
            ),
            alike=(kind, last.message[:120], line.process),
        )
        return block

    def _structure(self, window: Window, candidate: Candidate) -> None:
        if "summary" in candidate.triggers:
            candidate.fruitful = True
            self._summary(window, candidate)
        if not candidate.triggers & {"exit", "world", "node", "restart"}:
            return
        for line in window.lines_at(candidate.start, candidate.position):
            if "exit" in candidate.triggers and len(self._exits) < MOST_FINDINGS:
                before = len(self._exits)
                self._exits.extend(parse_exit(line, self.name))
                candidate.fruitful = candidate.fruitful or len(self._exits) > before
            if "world" in candidate.triggers and self.facts.wants_world:
                self.facts.note_world(line)
            if "node" in candidate.triggers:
                self.facts.note_node(line)
            if "restart" in candidate.triggers:
                self.facts.note_restart(line)

    def _summary(self, window: Window, candidate: Candidate) -> None:
        head = window.line_at(candidate.start)
        if head.number <= self._summary_end:
            return
        lines: list[Line] = [head]
        root = "Root Cause" in head.text
        for _, line in window.after(candidate.start, LONGEST_BLOCK):
            if line.origin.label != head.origin.label:
                continue
            bare = line.text.strip()
            root = root or "Root Cause" in bare
            if root and len(bare) > 20 and set(bare) <= {"=", "*"}:
                break
            lines.append(line)
        self._summary_end = lines[-1].number
        self._exits.extend(parse_summary(lines, self.name))

    # --- signatures --------------------------------------------------------------------------------------------------

    def _recognise(self, window: Window, candidates: list[Candidate], covered: list[Covered]) -> None:
        in_exceptions: dict[tuple[int, int], tuple[Covered, Raised, dict[int, set[int]], Candidate]] = {}
        for candidate in candidates:
            if not candidate.targets:
                continue
            for line in window.lines_at(candidate.start, candidate.position):
                holder = self._coverage.find(line)
                if holder is None:
                    self._recognise_line(window, candidate, line)
                    continue
                candidate.fruitful = True
                for index, raised in enumerate(holder.block.raised):
                    if raised.line <= line.number <= raised.end_line:
                        key = (id(holder), index)
                        slot = in_exceptions.setdefault(key, (holder, raised, {}, candidate))
                        for signature, patterns in candidate.targets.items():
                            slot[2].setdefault(signature, set()).update(patterns)
        for holder, raised, targets, candidate in in_exceptions.values():
            self._recognise_exception(window, candidate, holder.block, raised, targets)

    def _recognise_line(self, window: Window, candidate: Candidate, line: Line) -> None:
        nearby = self._nearby(window, candidate.start)
        for number, patterns in candidate.targets.items():
            if number == TABLES:
                candidate.fruitful = self._recognise_code(patterns, line) or candidate.fruitful
                continue
            signature = self._signatures[number]
            outcome = verify(signature, sorted(patterns), line.text, is_exception=False, frames=str, nearby=nearby)
            if outcome:
                candidate.fruitful = candidate.fruitful or signature.role != "notice"
                self.folded.add(self._finding(signature, outcome, line.number, line.number, line.text, line.origin))

    def _recognise_exception(
        self, window: Window, candidate: Candidate, block: Block, raised: Raised, targets: dict[int, set[int]]
    ) -> None:
        nearby = self._nearby(window, candidate.start)

        def frames() -> str:
            return frames_text(raised.frames)

        for number, patterns in targets.items():
            if number == TABLES:
                self._recognise_code(patterns, None, block, raised)
                continue
            signature = self._signatures[number]
            outcome = verify(signature, sorted(patterns), raised.message, is_exception=True, frames=frames, nearby=nearby)
            if not outcome:
                continue
            finding = self._finding(signature, outcome, raised.line, raised.end_line, raised.message, block.origin)
            self.folded.add(finding._replace(block=block, raised=raised))

    def _recognise_code(self, patterns: set[int], line: Line | None, block: Block | None = None, raised: Raised | None = None) -> bool:
        """Findings for the table rows that a line, or the text of an exception, names."""
        text = raised.message if raised else line.text if line else ""
        known = False
        for number in sorted(patterns):
            match = self._codes.read(number, text)
            if match is None or match.row.kind == "notice":
                continue
            known = True
            signature = self._by_id.get(match.entry) if match.entry else None
            finding = Finding(
                signature=match.signature,
                role=signature.role if signature else match.row.kind,  # pyright: ignore[reportArgumentType]
                scope="table",
                severity=signature.severity if signature else _severity(match.row.severity),  # pyright: ignore[reportArgumentType]
                source=self.name,
                line=raised.line if raised else line.number if line else 0,
                end_line=raised.end_line if raised else line.number if line else 0,
                text=text,
                origin=block.origin if block else line.origin if line else NOBODY,
                captures=(("code", match.row.code), ("name", match.row.name)),
                block=block,
                raised=raised,
            )
            self.folded.add(finding)
        return known

    def _finding(self, signature: Signature, outcome: Verified, line: int, end: int, text: str, origin: Provenance) -> Finding:
        return Finding(
            signature=signature.id,
            role=signature.role,  # pyright: ignore[reportArgumentType]
            scope=signature.scope,  # pyright: ignore[reportArgumentType]
            severity=signature.severity,  # pyright: ignore[reportArgumentType]
            source=self.name,
            line=line,
            end_line=end,
            text=text,
            origin=origin,
            captures=tuple(outcome.captures.items()),
            patterns=tuple(outcome.patterns),
            nearby=outcome.nearby,
        )

    def _nearby(self, window: Window, start: int) -> Callable[[str], bool]:
        texts: list[str] = []

        def search(pattern: str) -> bool:
            if not texts:
                texts.extend(line.text for _, line in window.before(start, NEARBY_LINES))
                texts.extend(line.text for _, line in window.after(start, NEARBY_LINES))
                texts.append("")
            return any(found(pattern, text) for text in texts)

        return search

    # --- output ------------------------------------------------------------------------------------------------------

    def result(self, info: SourceInfo) -> SourceScan:
        """All that the source has to say, once its last bytes were fed."""
        return SourceScan(
            info=info,
            findings=self.folded.findings,
            exits=tuple(sorted(self._exits, key=lambda e: e.line)),
            progress=tuple(self._progress.values()),
            worlds=self.facts.worlds,
            introductions=self.facts.introductions,
            sections=self.facts.sections,
            identity=self._identity,
            hosts=self.facts.hosts,
            attempts=self.facts.attempts,
            ending=self._ending,
        )


def _severity(severity: str) -> str:
    return "warning" if severity == "info" else severity
