"""`firstfault schema`: the JSON Schemas of what firstfault writes and reads."""

from __future__ import annotations

import argparse
import json

from firstfault.cli.terminal import write

_EXAMPLES = """\
examples:
  firstfault schema > report.schema.json                  what `diagnose --format json` writes
  firstfault schema signature > signatures/schema.json    a catalogue file, for completion in an editor"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Add the command to the parser."""
    parser = commands.add_parser(
        "schema",
        help="print the JSON Schema of the report or of a catalogue file",
        description="Prints a JSON Schema (2020-12), generated from the code that makes or reads the document.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("of", nargs="?", choices=("report", "signature"), default="report", help="which document (default: report)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the schema."""
    if arguments.of == "signature":
        from firstfault.catalog.schema import schema_text

        write(schema_text())
    else:
        from firstfault.views.schema import report_schema

        write(json.dumps(report_schema(), ensure_ascii=False, indent=2) + "\n")
    return 0
