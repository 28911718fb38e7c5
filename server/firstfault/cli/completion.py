"""`firstfault completion`: a completion script for bash, zsh or fish, made from the parser itself."""

from __future__ import annotations

import argparse

from firstfault.cli.terminal import write

_BASH = """\
_firstfault() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="{commands} --help --version"; else
    case "$command" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$current" in -*) ;; *) [ "$COMP_CWORD" -gt 1 ] && COMPREPLY+=($(compgen -f -- "$current")) ;; esac
}}
complete -o filenames -F _firstfault firstfault
"""
_ZSH = "autoload -Uz bashcompinit && bashcompinit\n" + _BASH


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:  # pyright: ignore[reportPrivateUsage]
    """Add the command to the parser."""
    parser = commands.add_parser(
        "completion",
        help="print a completion script for the shell",
        description="Prints a completion script.",
        epilog="example:\n  source <(firstfault completion bash)",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    options = _options()
    if arguments.shell == "fish":
        write(_fish(options))
        return 0
    cases = "\n".join(f'      {name}) words="{" ".join(words)}" ;;' for name, words in options.items())
    template = _ZSH if arguments.shell == "zsh" else _BASH
    write(template.format(commands=" ".join(options), cases=cases))
    return 0


def _options() -> dict[str, list[str]]:
    from firstfault.cli.main import parser

    top = parser()
    found: dict[str, list[str]] = {}
    for action in top._actions:  # pyright: ignore[reportPrivateUsage]
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            choices: dict[str, argparse.ArgumentParser] = dict(vars(action)["choices"])
            for name, command in choices.items():
                found[name] = _words(command)
    return found


def _words(command: argparse.ArgumentParser) -> list[str]:
    words: list[str] = []
    for action in command._actions:  # pyright: ignore[reportPrivateUsage]
        words.extend(o for o in action.option_strings if o.startswith("--"))
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            words.extend(list[str](vars(action)["choices"]))
        elif action.choices and not action.option_strings:
            words.extend(str(c) for c in action.choices)
    return words


def _fish(options: dict[str, list[str]]) -> str:
    lines = [f"complete -c firstfault -n __fish_use_subcommand -f -a '{' '.join(options)}'"]
    for name, words in options.items():
        for word in words:
            flag = f"-l {word[2:]}" if word.startswith("--") else f"-f -a {word}"
            lines.append(f"complete -c firstfault -n '__fish_seen_subcommand_from {name}' {flag}")
    return "\n".join(lines) + "\n"
