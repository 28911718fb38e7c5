"""Entry point of the command line: parses arguments, runs one command, turns errors into one line and exit code 2."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TextIO, cast

from firstfault import __version__
from firstfault.errors import FirstfaultError

COMMANDS = ("diagnose", "explain", "list", "schema", "signature", "serve", "completion")
_ABOUT = """\
Reads the logs of a dead training or serving run, on this machine, and says which process failed first, which failures only
followed from it, the cause, the fix, and the command that verifies it."""
_EXAMPLES = """\
examples:
  firstfault diagnose train.log               one log
  firstfault diagnose logs/                   a folder of per-rank logs, as one run
  torchrun train.py 2>&1 | firstfault diagnose -
  firstfault diagnose logs/ --format json     for scripts
  firstfault explain xid 79                   what a code means
  firstfault list --category gpu              what the catalogue knows

exit codes: 0 no failure found, 1 a failure found, 2 bad usage or nothing could be read"""


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The argument parser; with `only`, just the named command is loaded in full."""
    top = argparse.ArgumentParser(
        prog="firstfault", description=_ABOUT, epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("--version", action="version", version=f"firstfault {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name in COMMANDS if only is None else (only,):
        import_module(f"firstfault.cli.{name}").add_parser(commands)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    only = words[0] if words and words[0] in COMMANDS else None
    try:
        arguments = parser(only).parse_args(words)
        if arguments.command is None:
            parser().print_help()
            return 0
        code = int(arguments.run(arguments))
        _flush()
        return code
    except FirstfaultError as error:
        print(f"firstfault: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader went away, as `| head` does; Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        return 130


def _flush() -> None:
    stream = cast("TextIO | None", sys.stdout)
    if stream is not None:  # closed before the start, as with `>&-`
        stream.flush()


if __name__ == "__main__":
    sys.exit(main())
