"""Signature files under work: what is wrong with them, at the right line, and whether their own examples hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

from lsprotocol import types

from firstfault.catalog.compiled import FORMAT, Catalog, index_row
from firstfault.catalog.entry import Entry
from firstfault.catalog.examples import ExampleOutcome, run_examples
from firstfault.catalog.library import Page, catalog_of, faults, page_of
from firstfault.catalog.lint import page_mistakes
from firstfault.catalog.problem import Mistake
from firstfault.catalog.source import entry_files
from firstfault.engine import Engine
from firstfault.errors import FirstfaultError, SignatureError
from firstfault.lsp.convert import SOURCE, start_of_line
from firstfault.lsp.lines import Encoding, Lines, units
from firstfault.lsp.settings import Settings
from firstfault.wording import plural

TEST_COMMAND = "firstfault.server.testSignature"
"""Argument: URI of a signature file. Runs its examples; the answer is a sentence."""
_REFERRING = ("yields_to", "explains", "related")
_FORMATS = Path("tables", "line-formats.yaml")


def signature_folder(path: str, settings: Settings) -> Path | None:
    """The signature folder that a file belongs to as an entry, or None when it is no signature file."""
    file = Path(path)
    if file.suffix != ".yaml" or file.parent.name == "tables":
        return None
    folder = file.parent.parent
    configured = any(Path(f).expanduser().resolve() == folder.resolve() for f in settings.signature_folders)
    return folder if configured or (folder / _FORMATS).is_file() else None


def authoring_diagnostics(text: str, path: str, folder: Path, built_in: Catalog, encoding: Encoding) -> list[types.Diagnostic]:
    """Mistakes of one signature file as it stands in the editor."""
    lines = Lines.of(text)
    try:
        page = page_of(text, Path(path))
    except SignatureError as error:
        return [_diagnostic(lines, error.line, error.column, error.message, "error", encoding)]
    found = [*page_mistakes(page, date.today()), *_unknown_ids(page, folder, built_in)]
    out = [_mistake(lines, page, mistake, encoding) for mistake in found]
    for outcome in outcomes(page, folder, built_in):
        if outcome.complaint is not None:
            line, column = page.place(("examples", outcome.kind, outcome.number - 1))
            out.append(_diagnostic(lines, line, column, _told(outcome, page), "error", encoding))
    return sorted(out, key=lambda d: (d.range.start.line, d.range.start.character))


def authoring_lenses(text: str, path: str) -> list[types.CodeLens]:
    """One lens at the top of the file, which runs its examples, and one at each list of examples."""
    uri = Path(path).absolute().as_uri()
    lines = [0]
    try:
        page = page_of(text, Path(path))
        lines += [page.place(("examples", kind))[0] - 2 for kind in ("match", "near_miss")]
    except SignatureError:
        pass
    places = [start_of_line(number) for number in dict.fromkeys(max(0, n) for n in lines)]
    return [types.CodeLens(place, types.Command(title="test", command=TEST_COMMAND, arguments=[uri])) for place in places]


def run_signature_test(text: str, path: str, folder: Path, built_in: Catalog) -> str:
    """Run the examples of a signature file; one sentence on the outcome."""
    try:
        page = page_of(text, Path(path))
    except SignatureError as error:
        return f"Line {error.line}: {error.message}."
    ran = list(outcomes(page, folder, built_in))
    failed = [o.name for o in ran if o.complaint is not None]
    done = f"{plural(len(ran), 'example')} of {page.entry.id}"
    return f"{done}: all as they must be." if not failed else f"{done}: {', '.join(failed)} not as it must be."


def outcomes(page: Page, folder: Path, built_in: Catalog) -> list[ExampleOutcome]:
    """What becomes of the examples of an entry, with the line formats of its folder or the built-in ones; nothing while one of
    its patterns does not compile."""
    if any(faults(page.entry)):
        return []
    try:
        catalog = catalog_of(folder, [page.entry]) if (folder / _FORMATS).is_file() else _alone(page.entry, built_in)
    except FirstfaultError:
        catalog = _alone(page.entry, built_in)
    return run_examples(Engine(catalog), page)


def known_ids(folder: Path, built_in: Catalog) -> set[str]:
    """Ids that an entry may name: those of the built-in catalogue and of the files beside it."""
    return {*built_in.by_id, *(f"{path.parent.name}/{path.stem}" for path in entry_files(folder))}


def _alone(entry: Entry, built_in: Catalog) -> Catalog:
    index: dict[str, Any] = {
        "format": FORMAT,
        "version": "0",
        "signatures": [index_row(entry)],
        "codes": {},
        "cascades": [],
        "tables": [],
        "line_formats": [f._asdict() for f in built_in.line_formats],
        "path_formats": [f._asdict() for f in built_in.path_formats],
    }
    return Catalog(index, lambda _: asdict(entry))


def _unknown_ids(page: Page, folder: Path, built_in: Catalog) -> Iterator[Mistake]:
    known = known_ids(folder, built_in)
    for field in _REFERRING:
        for number, other in enumerate(getattr(page.entry, field)):
            if other not in known:
                yield Mistake((field, number), f"{field} names {other!r}, but there is no such entry")


def _told(outcome: ExampleOutcome, page: Page) -> str:
    """The complaint without its place, which the diagnostic has."""
    place = f"{page.spot(('examples', outcome.kind, outcome.number - 1))}: "
    return (outcome.complaint or "").removeprefix(place)


def _mistake(lines: Lines, page: Page, mistake: Mistake, encoding: Encoding) -> types.Diagnostic:
    line, column = page.place(mistake.where)
    return _diagnostic(lines, line, column, mistake.message, mistake.level, encoding)


def _diagnostic(lines: Lines, line: int, column: int, message: str, level: str, encoding: Encoding) -> types.Diagnostic:
    text = lines.line(line - 1)
    start = types.Position(line - 1, units(text[: column - 1], encoding))
    end = types.Position(line - 1, max(start.character, units(text.rstrip(), encoding)))
    severity = types.DiagnosticSeverity.Warning if level == "warning" else types.DiagnosticSeverity.Error
    return types.Diagnostic(range=types.Range(start, end), message=message, severity=severity, source=SOURCE, code="signature")
