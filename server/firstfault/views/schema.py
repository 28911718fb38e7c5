"""JSON Schema of the report, generated from its classes."""

from __future__ import annotations

from typing import Any

from firstfault.catalog.mapping import json_schema
from firstfault.report import Report

SCHEMA_ID = "urn:firstfault:report:1"


def report_schema() -> dict[str, Any]:
    """The schema of what `--format json` writes; readers must allow fields that a later release adds."""
    schema = json_schema(Report, title="firstfault report, version 1", schema_id=SCHEMA_ID, closed=False)
    _limit(schema["$defs"])
    return schema


def _limit(definitions: dict[str, Any]) -> None:
    """Ranges that the types alone cannot say."""
    definitions["Incident"]["properties"]["confidence"] |= {"minimum": 0, "maximum": 1}
    for name in ("Evidence", "Collateral"):
        definitions[name]["properties"]["line"]["minimum"] = 1
    definitions["Evidence"]["properties"]["end_line"]["minimum"] = 1
    definitions["Collateral"]["properties"]["count"]["minimum"] = 1
    for field in ("bytes", "lines"):
        definitions["SourceInfo"]["properties"][field]["minimum"] = 0
