"""Which edit fits a file: the changes that an entry proposes, made against the text as it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping

from firstfault.advise.change import Change, Proposal, applied

__all__ = ["Change", "Proposal", "applied", "is_launch_file", "proposals"]

_SHELL = re.compile(r"(?i)\.(?:sh|bash|zsh|sbatch|slurm|job|pbs)$")
_DOTENV = re.compile(r"(?i)(?:^|[/\\])[\w.-]*\.env(?:\.[\w-]+)?$")
_DOCKERFILE = re.compile(r"(?i)(?:^|[/\\])(?:Dockerfile[\w.-]*|[\w.-]+\.dockerfile)$")
_YAML = re.compile(r"(?i)\.ya?ml$")
_JSON = re.compile(r"(?i)\.json$")


def proposals(edit: Mapping[str, str], text: str, name: str, line: int | None = None) -> list[Proposal]:
    """Changes of one file that do what the edit says, best first; none where the text does not fit. `line` is where a traceback points."""
    if edit["kind"] != "set-env":
        from firstfault.advise.python_edits import python_edits

        return python_edits(edit, text, line) if name.endswith(".py") else []
    variable, value = edit["name"], edit["value"]
    if _SHELL.search(name):
        from firstfault.advise.script_edits import shell_edits

        return shell_edits(text, variable, value)
    if _DOTENV.search(name):
        from firstfault.advise.script_edits import dotenv_edits

        return dotenv_edits(text, variable, value)
    if _DOCKERFILE.search(name):
        from firstfault.advise.script_edits import dockerfile_edits

        return dockerfile_edits(text, variable, value)
    if _YAML.search(name) or _JSON.search(name):
        from firstfault.advise.config_edits import config_edits

        return config_edits(text, variable, value, as_json=bool(_JSON.search(name)))
    return []


def is_launch_file(name: str) -> bool:
    """Whether a file of this name may set the environment of a run."""
    return any(pattern.search(name) for pattern in (_SHELL, _DOTENV, _DOCKERFILE, _YAML, _JSON))
