"""The published JSON Schema says what reports are: every report fits it, and broken ones do not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from firstfault.cli.main import main
from firstfault.engine import Engine
from firstfault.privacy.redact import redact
from firstfault.views.schema import report_schema

from . import logs
from .conftest import Diagnose

ROOT = Path(__file__).parents[3]
SMALL = 64 * 1024
VALIDATOR = Draft202012Validator(report_schema())


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(report_schema())


@pytest.mark.parametrize("log", [logs.ECC, logs.TIMEOUTS_ONLY, logs.UNKNOWN, logs.CAUGHT, logs.HEALTHY, ""])
def test_every_kind_of_report_fits(diagnose: Diagnose, log: str) -> None:
    report = diagnose(log)
    VALIDATOR.validate(json.loads(json.dumps(asdict(report))))
    VALIDATOR.validate(asdict(redact(report)))


def test_every_report_over_the_stored_logs_fits() -> None:
    engine = Engine()
    paths = [p for p in (ROOT / "tests").rglob("*") if p.suffix in (".log", ".txt", ".out", ".err") and p.stat().st_size <= SMALL]
    for path in paths:
        report = engine.report([engine.scan_text(path.read_text("utf-8", errors="replace"), path.name)])
        errors = [e.message for e in VALIDATOR.iter_errors(asdict(report))]
        assert not errors, path
    assert paths


def test_every_field_of_a_report_is_described(diagnose: Diagnose) -> None:
    """The schema allows fields of later releases; the fields of this one must all be in it."""
    schema = report_schema()

    def unknown(value: Any, part: dict[str, Any], path: str) -> list[str]:
        part = schema["$defs"][part["$ref"].rsplit("/", 1)[1]] if "$ref" in part else part
        if isinstance(value, list):
            return [x for item in value for x in unknown(item, part["items"], f"{path}[]")]
        if not isinstance(value, dict) or "properties" not in part:
            return []
        missing = [f"{path}.{k}" for k in value if k not in part["properties"]]
        return missing + [x for k, v in value.items() if k in part["properties"] for x in unknown(v, part["properties"][k], f"{path}.{k}")]

    assert unknown(asdict(diagnose(logs.ECC)), schema, "report") == []


def _later_field(report: dict[str, Any]) -> None:
    report["added_later"] = 1


def _no_verdict(report: dict[str, Any]) -> None:
    del report["verdict"]


def _wrong_verdict(report: dict[str, Any]) -> None:
    report["verdict"] = "maybe"


def _too_sure(report: dict[str, Any]) -> None:
    report["incidents"][0]["confidence"] = 1.2


def _line_zero(report: dict[str, Any]) -> None:
    report["incidents"][0]["evidence"][0]["line"] = 0


def _rank_as_text(report: dict[str, Any]) -> None:
    report["incidents"][0]["initiator"]["rank"] = "2"


@pytest.mark.parametrize(
    ("change", "fits"),
    [(_later_field, True), (_no_verdict, False), (_wrong_verdict, False), (_too_sure, False), (_line_zero, False), (_rank_as_text, False)],
)
def test_readers_may_rely_on_it(diagnose: Diagnose, change: Callable[[dict[str, Any]], None], fits: bool) -> None:
    report = copy.deepcopy(asdict(diagnose(logs.ECC)))
    change(report)
    assert VALIDATOR.is_valid(report) is fits


@pytest.mark.parametrize(
    ("words", "title"),
    [([], "firstfault report, version 1"), (["report"], "firstfault report, version 1"), (["signature"], "firstfault catalogue entry")],
)
def test_the_command_prints_it(capsys: pytest.CaptureFixture[str], words: list[str], title: str) -> None:
    assert main(["schema", *words]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == title
