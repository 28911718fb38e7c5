"""Leads from the paths that a log names, often those of a container, to files of the workspace."""

from __future__ import annotations

import os
import re
import time
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urlsplit

from firstfault.advise.edits import is_launch_file
from firstfault.blocks.frames import is_library
from firstfault.lsp.settings import PathMapping

MOST_FILES = 50_000
LARGEST = 4 * 1024 * 1024
FRESH_FOR = 10.0
"""Seconds for which the list of files is used again."""
_SKIPPED = frozenset(("node_modules", "__pycache__", "venv", "site-packages", "wandb", "mlruns"))
_WANTED = re.compile(r"(?i)\.(?:py|pyx|sh|bash|sbatch|slurm|job|pbs|ya?ml|json|env(?:\.[\w-]+)?)$|(?:^|/)Dockerfile")
_DRIVE = re.compile(r"^/[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as the client has it: open with a version, or as it stands on the disk."""

    uri: str
    path: str
    text: str
    version: int | None = None


class WorkspaceFiles:
    """Files below the folders of a workspace; `opened` gives the text of a document that the client has open."""

    def __init__(
        self,
        roots: Sequence[str],
        mappings: Sequence[PathMapping] = (),
        opened: Callable[[str], FileText | None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._roots = tuple(os.path.abspath(root) for root in roots)
        self._mappings = tuple(mappings)
        self._opened = opened
        self._clock = clock
        self._listed_at: float | None = None
        self._by_name: dict[str, list[str]] = {}

    def find(self, named: str) -> str | None:
        """The file that a path of a log means, or None where there is none or it could be one of several."""
        mapped = self._mapped(named)
        if mapped is not None:
            return mapped
        plain = named.replace("\\", "/")
        if os.path.isabs(named):
            if os.path.isfile(named):
                return named
        else:
            for root in self._roots:
                candidate = os.path.normpath(os.path.join(root, plain))
                if candidate.startswith(root + os.sep) and os.path.isfile(candidate):
                    return candidate
        return self._by_suffix(plain)

    def read(self, path: str) -> FileText | None:
        """Text of a file, from the editor where it is open there."""
        uri = uri_of(path)
        opened = self._opened(uri)
        if opened is not None:
            return opened
        try:
            if os.path.getsize(path) > LARGEST:
                return None
            encoding = _encoding(path)
            # Without newline translation, so that positions are those of the editor.
            with open(path, encoding=encoding, newline="") as file:
                return FileText(uri, path, file.read())
        except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
            return None

    def holds(self, path: str) -> bool:
        """Whether a file is one of the workspace, not just one that this machine has too."""
        return any(os.path.abspath(path).startswith(root + os.sep) for root in self._roots)

    def launch_files(self) -> list[str]:
        """Files that may set the environment of a run, those near the root first."""
        self._list()
        found = [p for paths in self._by_name.values() for p in paths if is_launch_file(p)]
        return sorted(found, key=lambda p: (p.count(os.sep), p))

    def _mapped(self, named: str) -> str | None:
        for mapping in self._mappings:
            remote = mapping.remote.rstrip("/\\")
            if named == remote or named.startswith((remote + "/", remote + "\\")):
                local = os.path.join(mapping.local, *re.split(r"[/\\]", named[len(remote) + 1 :]))
                if not os.path.isabs(local) and self._roots:
                    local = os.path.join(self._roots[0], local)
                if os.path.isfile(local):
                    return os.path.normpath(local)
        return None

    def _by_suffix(self, named: str) -> str | None:
        parts = PurePosixPath(named).parts
        if not parts:
            return None
        self._list()
        scored = sorted(((_shared(path, parts), path) for path in self._by_name.get(parts[-1], ())), reverse=True)
        if not scored:
            return None
        best = scored[0][0]
        # A library's file is no file of the workspace that happens to be called alike.
        if best < (3 if is_library(named) else 1) or (len(scored) > 1 and scored[1][0] == best):
            return None
        return scored[0][1]

    def _list(self) -> None:
        now = self._clock()
        if self._listed_at is not None and now - self._listed_at < FRESH_FOR:
            return
        self._listed_at = now
        by_name: dict[str, list[str]] = {}
        for path in _walk(self._roots):
            by_name.setdefault(os.path.basename(path), []).append(path)
        self._by_name = by_name


def _encoding(path: str) -> str:
    """UTF-8, or what a Python file says of itself."""
    if not path.endswith(".py"):
        return "utf-8"
    with open(path, "rb") as raw:
        return tokenize.detect_encoding(raw.readline)[0]


def _walk(roots: Sequence[str]) -> Iterator[str]:
    left = MOST_FILES
    for root in roots:
        for folder, below, names in os.walk(root):
            below[:] = [name for name in sorted(below) if name not in _SKIPPED and (name == ".vscode" or not name.startswith("."))]
            left -= len(names)
            if left < 0:
                return
            for name in sorted(names):
                if _WANTED.search(name):
                    yield os.path.join(folder, name)


def _shared(path: str, parts: Sequence[str]) -> int:
    own = Path(path).parts
    count = 0
    while count < min(len(own), len(parts)) and own[-1 - count] == parts[-1 - count]:
        count += 1
    return count


def uri_of(path: str) -> str:
    """URI of a file."""
    plain = os.path.abspath(path).replace("\\", "/")
    return "file://" + quote(
        plain if plain.startswith("/") else "/" + plain, safe="/:~!$&'()*+,;=@" if os.name == "nt" else "/~!$&'()*+,;=@"
    )


def path_of(uri: str) -> str | None:
    """Path of a file URI."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    return path[1:].replace("/", "\\") if os.name == "nt" and _DRIVE.match(path) else path
