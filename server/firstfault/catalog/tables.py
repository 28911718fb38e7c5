"""Reads the tables under `signatures/tables/`: codes and states that are rows, not pages."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any, cast

import yaml

from firstfault.catalog.yaml_loader import read_with
from firstfault.errors import SignatureError


def read_yaml(path: Path) -> object:
    """A YAML file with every scalar as text; raises SignatureError."""
    try:
        return cast("object", read_with(cast("Any", yaml).load, path.read_text("utf-8")))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise SignatureError(str(path), f"not valid YAML: {error.problem}", line=mark.line + 1 if mark else 1) from error
    except OSError as error:
        raise SignatureError(str(path), f"cannot be read: {error.strerror}") from error


def formats_of(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Rows of line formats and path formats, as a compiled catalogue holds them."""
    given = cast("dict[str, list[dict[str, str]]]", read_yaml(folder / "tables" / "line-formats.yaml"))
    flags = ("after", "vote")
    lines: list[dict[str, Any]] = [
        {"name": f["name"], "starts": f["starts"], "pattern": f["pattern"], **{flag: f.get(flag) == "true" for flag in flags}}
        for f in given["formats"]
    ]
    paths: list[dict[str, Any]] = [{"name": f["name"], "pattern": f["pattern"]} for f in given["paths"]]
    return {"line_formats": lines, "path_formats": paths}


def read_tables(folder: Path) -> dict[str, list[dict[str, str]]]:
    """All `.tsv` tables of a folder by name; lines that begin with # are comments."""
    tables: dict[str, list[dict[str, str]]] = {}
    for path in sorted(folder.glob("*.tsv")):
        lines = [row for row in path.read_text("utf-8").splitlines() if row and not row.startswith("#")]
        rows: list[dict[str, Any]] = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
        tables[path.stem] = [{k: v or "" for k, v in row.items() if k} for row in rows]
    return tables
