"""`firstfault diagnose`: what failed first in these logs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from firstfault.errors import SignatureError, UnreadableInputError, UsageError
from firstfault.wording import ranges

if TYPE_CHECKING:
    from firstfault.catalog.compiled import Catalog
    from firstfault.engine import Diagnosis, Engine, Watch
    from firstfault.model import Stamp
    from firstfault.report import Report

FORMATS = ("text", "json", "html", "sarif", "markdown", "github")
_EXAMPLES = """\
examples:
  firstfault diagnose run.log
  firstfault diagnose logs/ --rank 12
  firstfault diagnose 'logs/rank*.err' --format json --output report.json
  firstfault diagnose logs/ --format html --output report.html
  firstfault diagnose logs/ --trace               why each finding is the cause, an effect or neither
  kubectl logs train-0 | firstfault diagnose -"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Add the command to the parser."""
    parser = commands.add_parser(
        "diagnose",
        help="say what failed first in a log, a folder of logs, or standard input",
        description="Reads everything that is named as the logs of one run and says what failed first.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="a file, folder or glob; - for standard input; .gz, .xz and .zst are read as they are"
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="text", help="text (default), json, html (one page with the timeline), sarif, markdown, github"
    )
    parser.add_argument("--output", metavar="FILE", help="write the report to a file")
    parser.add_argument("--redact", action="store_true", help="mask secrets, user names, hosts and addresses in the report")
    parser.add_argument(
        "--trace", action="store_true", help="list every finding with its role and the step that gave it (text, json, html)"
    )
    parser.add_argument("--rank", type=int, metavar="N", help="look at one global rank alone")
    parser.add_argument("--since", metavar="TIME", help="leave out what is stamped earlier, as in 2026-12-01T02:00:00 or 02:00:00")
    parser.add_argument("--until", metavar="TIME", help="leave out what is stamped later")
    parser.add_argument(
        "--signatures", metavar="FOLDER", action="append", default=[], help="a folder with signatures of your own; may be repeated"
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes that read in parallel (default: one for each core, when there is much to read)"
    )
    parser.add_argument("--ascii", action="store_true", help="plain ASCII output")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Diagnose and write the report."""
    paths: list[str] = arguments.paths
    if not paths:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("name a log to read, or - for standard input: firstfault diagnose train.log")
        paths = ["-"]
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("--jobs needs a number of at least 1")
    if sys.stdout is None and not arguments.output:  # pyright: ignore[reportUnnecessaryComparison]  # the shell closed it: `>&-`
        raise UsageError("standard output is closed; name a file with --output")
    from firstfault.engine import Engine

    diagnosis = _diagnosed(Engine(_catalog(arguments.signatures)), paths, arguments)
    report = diagnosis.report
    _require_rank(arguments.rank, report.run.ranks_seen)
    if arguments.redact:
        from firstfault.privacy.redact import redact

        report = redact(report)
    text = _rendered(report, arguments)
    if arguments.output:
        _write(arguments.output, text)
    else:
        from firstfault.cli.terminal import write

        write(text)
    for problem in diagnosis.unreadable:
        print(f"firstfault: {problem}", file=sys.stderr)
    return 0 if report.verdict == "no-failure" else 1


def _require_rank(rank: int | None, seen: Sequence[int]) -> None:
    """Without this, a rank that does not exist would be reported as healthy."""
    if rank is not None and (rank < 0 or (seen and rank not in seen)):
        ranks = f"; they name {ranges(seen)}" if seen else ""
        raise UsageError(f"no line of rank {rank} in these logs{ranks}")


def _diagnosed(engine: Engine, paths: list[str], arguments: argparse.Namespace) -> Diagnosis:
    jobs = 1 if arguments.signatures else arguments.jobs  # other processes know only the built-in catalogue

    def diagnosed(watch: Watch | None = None) -> Diagnosis:
        since, until = _stamp(arguments.since, "--since"), _stamp(arguments.until, "--until")
        return engine.diagnose(paths, rank=arguments.rank, jobs=jobs, since=since, until=until, trace=arguments.trace, watch=watch)

    if sys.stderr is None or not sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison]  # closed: `2>&-`
        return diagnosed()
    from firstfault.cli.progress import Progress

    progress = Progress(sum(os.path.getsize(p) for p in paths if os.path.isfile(p)))
    try:
        return diagnosed(progress)
    finally:
        progress.clear()


def _stamp(text: str | None, option: str) -> Stamp | None:
    if text is None:
        return None
    from firstfault.read.stamps import parse

    stamp = parse({"iso": text}) or parse({"clock": text})
    if stamp is None:
        raise UsageError(f"{option} {text}: not a time; write 2026-12-01T02:00:00 or 02:00:00")
    return stamp


def _catalog(folders: list[str]) -> Catalog | None:
    """The built-in catalogue with the user's own signatures; None where there are none."""
    if not folders:
        return None
    from pathlib import Path

    from firstfault.catalog.compiled import extended, load
    from firstfault.catalog.library import read_library

    catalog = load()
    for folder in folders:
        if not os.path.isdir(folder):
            raise UsageError(f"{folder}: there is no such signature folder")
        library = read_library(Path(folder))
        if library.unreadable:
            problem = library.unreadable[0]
            raise SignatureError(problem.path, problem.message, line=problem.line, column=problem.column)
        catalog = extended(catalog, [page.entry for page in library.pages])
    return catalog


def _rendered(report: Report, arguments: argparse.Namespace) -> str:
    if arguments.format == "json":
        from firstfault.views import json as view

        return view.render(report)
    if arguments.format == "text":
        from firstfault.cli.terminal import file_page, output_page
        from firstfault.views import text as view_text

        page = (file_page if arguments.output else output_page)(ascii_only=arguments.ascii)
        return view_text.render(report, page)
    from importlib import import_module

    return str(import_module(f"firstfault.views.{arguments.format}").render(report))


def _write(name: str, text: str) -> None:
    try:
        with open(name, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        raise UnreadableInputError(f"{name}: cannot be written: {(error.strerror or str(error)).lower()}") from error
