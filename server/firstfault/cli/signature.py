"""`firstfault signature`: write, test, check and build catalogue entries in a checkout."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from firstfault.errors import SignatureError, UsageError
from firstfault.wording import plural

if TYPE_CHECKING:
    from firstfault.catalog.library import Library, Page
    from firstfault.engine import Engine

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # pyright: ignore[reportPrivateUsage]

_ID = re.compile(r"[a-z]+/[a-z0-9]+(-[a-z0-9]+)*")
_HEALTHY = ("healthy", "cases/healthy")
_EXAMPLES = """\
examples:
  firstfault signature new storage/shm-exhausted --from run.log --line 812
      write signatures/storage/shm-exhausted.yaml from line 812 of run.log
  firstfault signature test storage/shm-exhausted
      run its examples; show how far each pattern got, and what else recognises them
  firstfault signature lint signatures/storage/shm-exhausted.yaml
      check it against every rule of signatures/README.md
  firstfault signature build
      compile the catalogue and write signatures/schema.json
"""


def add_parser(commands: Commands) -> None:
    """Add `signature` and its four commands."""
    parser = commands.add_parser(
        "signature",
        help="write, test and check catalogue entries",
        description="Work on the catalogue of a checkout: one failure is one file under signatures/.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    actions = parser.add_subparsers(dest="action", required=True, metavar="{new,test,lint,build}")
    new = _action(actions, "new", _new, "write a new entry from a line of a log")
    new.add_argument("id", help="<category>/<name>, for example storage/shm-exhausted")
    new.add_argument("--from", dest="log", required=True, metavar="LOG", help="the log that shows the failure")
    new.add_argument("--line", type=int, required=True, metavar="N", help="number of the line, from 1")
    test = _action(actions, "test", _test, "run the examples of entries; of all entries when none is named")
    test.add_argument("ids", nargs="*", metavar="ID", help="<category>/<name>")
    check = _action(actions, "lint", _lint, "check entries against the rules of signatures/README.md")
    check.add_argument("paths", nargs="*", metavar="PATH", help="files to report on; all when none is named")
    build = _action(actions, "build", _build, "compile the catalogue and write schema.json")
    build.add_argument("--output", metavar="FILE", help="where to put the compiled catalogue; inside the package when not given")


def _action(actions: Commands, name: str, action: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    parser.add_argument("--folder", metavar="DIR", help="the signatures/ folder; looked for here and above when not given")
    parser.set_defaults(action_run=action)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Run one of the four; 0 fine, 1 problems found."""
    if find_spec("yaml") is None:
        raise UsageError("`firstfault signature` reads YAML, which needs PyYAML: pip install 'firstfault[authoring]'")
    action: Callable[[argparse.Namespace], int] = arguments.action_run
    return action(arguments)


def find_folder(given: str | None) -> Path:
    """The signature folder that was named, or the one of the checkout around the current folder; raises UsageError."""
    if given is not None:
        folder = Path(given)
        if not _is_catalogue(folder):
            raise UsageError(f"{given} is no signatures folder: it holds no tables/line-formats.yaml")
        return folder
    here = Path.cwd()
    for parent in (here, *here.parents):
        folder = parent / "signatures"
        if _is_catalogue(folder):
            return folder.relative_to(here) if parent == here else folder
    raise UsageError("no signatures/ folder here or above; change into a checkout, or name it with --folder")


def _is_catalogue(folder: Path) -> bool:
    return (folder / "tables" / "line-formats.yaml").is_file()


# --- new --------------------------------------------------------------------------------------------------------------


def _new(arguments: argparse.Namespace) -> int:
    from firstfault.catalog.draft import draft_page, draft_pattern

    signature: str = arguments.id
    if not _ID.fullmatch(signature):
        raise UsageError(f"{signature!r} is no id: write <category>/<name> in lower-case words joined by hyphens")
    folder = find_folder(arguments.folder)
    path = folder / f"{signature}.yaml"
    if path.exists():
        raise UsageError(f"{path} exists already; edit it, or choose another id")
    page = draft_page(signature, draft_pattern(_bare_line(folder, arguments.log, arguments.line)))
    path.parent.mkdir(exist_ok=True)
    path.write_text(page, "utf-8")
    print(f"wrote {path}\nFill in its headings, add a second example and a near miss, then run: firstfault signature test {signature}")
    return 0


def _bare_line(folder: Path, log: str, number: int) -> str:
    from firstfault.catalog.tables import formats_of
    from firstfault.read.opening import Input, open_input, read_blocks
    from firstfault.read.provenance import LineFormat, Prefixes, choose
    from firstfault.read.text import encoding_of, transcode

    with open_input(Input(log, log)) as stream:
        data = b"".join(read_blocks(stream, log))
    encoding, skip = encoding_of(data)
    lines = b"".join(transcode(iter([data]), encoding, skip)).splitlines()
    if not 1 <= number <= len(lines):
        raise UsageError(f"{log} has {plural(len(lines), 'line')}; there is no line {number}")
    known = [LineFormat(**row) for row in formats_of(folder)["line_formats"]]
    formats, _ = choose(known, [line.decode("utf-8", "replace") for line in lines[:500]])
    text = Prefixes(formats).split(lines[number - 1], number)[-1].text
    if not text.strip():
        raise UsageError(f"line {number} of {log} is empty apart from its prefix; choose another line")
    return text


# --- test -------------------------------------------------------------------------------------------------------------


def _test(arguments: argparse.Namespace) -> int:
    from firstfault.catalog.examples import foreign_matches
    from firstfault.catalog.library import catalog_of, read_library
    from firstfault.engine import Engine

    folder = find_folder(arguments.folder)
    library = read_library(folder)
    pages, complaints = _chosen(library, arguments.ids)
    engine = Engine(catalog_of(folder, library.entries))
    detailed = bool(arguments.ids)
    for page in pages:
        complaints.extend(_test_page(engine, page, detailed=detailed))
    names = {page.entry.id for page in pages}
    foreign = [f for f in foreign_matches(engine, library.entries) if f.signature in names or f.foreign in names]
    complaints.extend(str(match) for match in foreign)
    complaints.extend(_healthy(engine, folder, names if detailed else None))
    for complaint in complaints:
        print(complaint)
    examples = sum(len(p.entry.examples.match) + len(p.entry.examples.near_miss) for p in pages)
    outcome = plural(len(complaints), "problem") if complaints else "all as it must be"
    print(f"{plural(examples, 'example')} of {plural(len(pages), 'entry', 'entries')}: {outcome}")
    return 1 if complaints else 0


def _chosen(library: Library, ids: Sequence[str]) -> tuple[list[Page], list[str]]:
    known = {page.entry.id: page for page in library.pages}
    if not ids:
        return list(known.values()), [str(problem) for problem in library.unreadable]
    pages: list[Page] = []
    complaints: list[str] = []
    for wanted in ids:
        path = library.folder / f"{wanted}.yaml"
        if wanted in known:
            pages.append(known[wanted])
        elif broken := [p for p in library.unreadable if p.path == str(path)]:
            complaints.extend(map(str, broken))
        else:
            raise UsageError(f"there is no entry {wanted!r}: no file {path}")
    return pages, complaints


def _test_page(engine: Engine, page: Page, *, detailed: bool) -> list[str]:
    from firstfault.catalog.examples import run_examples
    from firstfault.catalog.rules.patterns import worst_time

    outcomes = run_examples(engine, page)
    if detailed:
        print(page.entry.id)
        for number, pattern in enumerate(page.entry.recognise.any):
            took = worst_time(pattern.line, pattern.near, (e.log for e in page.entry.examples.match))
            users = [str(o.number) for o in outcomes if o.kind == "match" and number in o.patterns]
            used = f"example {', '.join(users)}" if users else "no example"
            print(f'  pattern {number + 1}  near "{pattern.near}"  {used}  {took * 1000:.1f} ms on the worst line')
        for outcome in outcomes:
            print(f"  {'ok  ' if outcome.complaint is None else 'FAIL'}  {outcome.name}")
    return [outcome.complaint for outcome in outcomes if outcome.complaint is not None]


def _healthy(engine: Engine, folder: Path, names: set[str] | None) -> list[str]:
    from firstfault.catalog.examples import healthy_hits

    tests = folder.resolve().parent / "tests"
    present = [tests / name for name in _HEALTHY if (tests / name).is_dir()]
    hits = [hit for place in present for hit in healthy_hits(engine, place)]
    return [str(hit) for hit in hits if names is None or hit.signature in names]


# --- lint and build ---------------------------------------------------------------------------------------------------


def _lint(arguments: argparse.Namespace) -> int:
    from firstfault.catalog.library import read_library
    from firstfault.catalog.lint import lint

    paths = [Path(path) for path in arguments.paths]
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file or folder")
    only = [file for path in paths for file in (sorted(path.rglob("*.yaml")) if path.is_dir() else [path])]
    library = read_library(find_folder(arguments.folder))
    problems = lint(library, only=only)
    for problem in problems:
        print(problem)
    errors = sum(problem.level == "error" for problem in problems)
    warnings = len(problems) - errors
    files = len(only) or len(library.pages) + len(library.unreadable)
    print(f"{plural(files, 'file')}: {plural(errors, 'error')}, {plural(warnings, 'warning')}")
    return 1 if errors else 0


def _build(arguments: argparse.Namespace) -> int:
    from firstfault.catalog.compiled import PACKED, build
    from firstfault.catalog.schema import SCHEMA_NAME, schema_text

    folder = find_folder(arguments.folder)
    schema = folder / SCHEMA_NAME
    schema.write_text(schema_text(), "utf-8")
    print(f"wrote {schema}")
    try:
        data = build(folder)
    except SignatureError as error:
        print(error)
        return 1
    output = Path(arguments.output) if arguments.output else Path(PACKED)
    output.write_bytes(data)
    print(f"wrote {output} ({plural(len(data), 'byte')})")
    return 0
