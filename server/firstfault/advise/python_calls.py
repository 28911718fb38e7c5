"""Finds calls in a Python file by the full name of what is called, whatever the file has imported it as."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from firstfault.advise.change import TextPlaces

_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class PythonFile:
    """A file that Python can parse, with the names that its imports stand for."""

    text: str
    tree: ast.Module
    imported: dict[str, str]
    places: TextPlaces

    def start(self, node: ast.expr | ast.keyword) -> int:
        """Offset at which a node begins."""
        return self.places.offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.keyword) -> int:
        """Offset behind a node."""
        return self.places.offset(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)

    def source(self, node: ast.expr) -> str:
        """Text of a node."""
        return self.text[self.start(node) : self.end(node)]


def parse(text: str) -> PythonFile | None:
    """A parsed file, or None when it is no valid Python."""
    tree = parse_module(text)
    return None if tree is None else PythonFile(text, tree, dict(_imports(tree)), TextPlaces(text))


def parse_module(text: str) -> ast.Module | None:
    """The syntax tree of a text, or None when it is no valid Python."""
    try:
        return ast.parse(text.removeprefix(_BOM))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.asname:
                    yield name.asname, name.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for name in node.names:
                yield name.asname or name.name, f"{node.module}.{name.name}"


def calls(file: PythonFile, names: str) -> list[tuple[ast.Call, str]]:
    """Calls of what one of the names (parted by `|`) ends, with the name that they call, in order of their lines: `torch.load`
    is not `json.load`, `DDP(...)` may be `DistributedDataParallel`, and `*Model*.from_pretrained` leaves tokenizers out."""
    found: list[tuple[ast.Call, str]] = []
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Call):
            called = _called(full_name(file, node.func), names)
            if called is not None:
                found.append((node, called))
    return sorted(found, key=lambda pair: (pair[0].lineno, pair[0].col_offset))


def _called(full: str, names: str) -> str | None:
    """The end of a full name that one of the names stands for."""
    parts = full.split(".")
    for name in names.split("|"):
        end = parts[-1 - name.count(".") :]
        if len(end) == 1 + name.count(".") and all(map(fnmatchcase, end, name.split("."))):
            return ".".join(end)
    return None


def full_name(file: PythonFile, function: ast.expr) -> str:
    """Dotted name with imports resolved; of a method of an expression only the last part."""
    parts: list[str] = []
    node = function
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(file.imported.get(node.id, node.id))
    return ".".join(reversed(parts))


def covers(node: ast.expr, line: int) -> bool:
    """Whether a node stands on a line, or spans it."""
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def argument(call: ast.Call, keyword: str, position: int | None) -> ast.expr | None:
    """The value that a call gives for a parameter, by name or by position."""
    for item in call.keywords:
        if item.arg == keyword:
            return item.value
    if position is not None and len(call.args) > position and not any(isinstance(a, ast.Starred) for a in call.args[: position + 1]):
        return call.args[position]
    return None


def may_hide(call: ast.Call, position: int | None) -> bool:
    """Whether `*args` or `**kwargs` may give the parameter already, so that nobody can tell from the text."""
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    return any(item.arg is None for item in call.keywords) or (position is not None and starred)
