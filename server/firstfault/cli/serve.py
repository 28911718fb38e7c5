"""`firstfault serve`: the language server, for any editor that speaks the protocol."""

from __future__ import annotations

import argparse

from firstfault.errors import UsageError

_ABOUT = """\
Speaks the Language Server Protocol on standard input and output. An editor starts it; opened by hand it waits for messages."""
_EXAMPLES = """\
examples:
  firstfault serve                          what an editor's configuration names as the command
  firstfault serve --log-level debug        with messages on standard error; document texts are in them

Neovim 0.11 and later:
  vim.lsp.config("firstfault", { cmd = { "firstfault", "serve" }, filetypes = { "log", "text" } })
  vim.lsp.enable("firstfault")"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Add the command to the parser."""
    parser = commands.add_parser(
        "serve",
        help="run the language server on standard input and output",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--stdio", action="store_true", help="accepted because many editors pass it; it is the only way to talk")
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), default="warning", help="default: warning")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client leaves."""
    try:
        from firstfault.lsp.log import set_up
        from firstfault.lsp.server import run as serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("firstfault"):
            raise
        raise UsageError(f"the language server needs the package {error.name}: pip install 'firstfault[lsp]'") from error
    set_up(arguments.log_level)
    return serve()
