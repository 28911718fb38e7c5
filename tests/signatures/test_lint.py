"""The whole library keeps every rule of signatures/README.md, and its schema is what the model says."""

from __future__ import annotations

import json

import pytest
import yaml
from signature_bench import HERE, SIGNATURES, VALID, LibraryMaker

from firstfault.catalog.library import Library
from firstfault.catalog.lint import lint
from firstfault.catalog.schema import SCHEMA_NAME, schema_text


def test_the_library_keeps_all_rules(library: Library) -> None:
    errors = [str(problem) for problem in lint(library) if problem.level == "error"]
    assert not errors, "\n" + "\n".join(errors)


def test_a_valid_entry_has_no_problems(make_library: LibraryMaker) -> None:
    assert lint(make_library({"good/valid": VALID})) == []


def test_a_cascade_that_reaches_no_entry_is_a_warning_at_its_place(make_library: LibraryMaker) -> None:
    library = make_library({"good/valid": VALID})
    (library.folder / "cascades.yaml").write_text('edges:\n  - {from: ["good/*"], to: ["lost/*"], because: "tests"}\n', "utf-8")
    (problem,) = lint(library)
    assert str(problem) == f"{library.folder / 'cascades.yaml'}:2:29: warning: 'lost/*' matches no entry"


def test_a_class_of_exceptions_may_be_found_by_the_name_of_its_type(make_library: LibraryMaker) -> None:
    lines = [line.replace("cogs exhausted", "cogs") for line in VALID.split("\n")]
    page = "\n".join([lines[0], "scope: class", *lines[1:]]).replace('near: "cogs"', "near: RuntimeError\n      in: exception")
    assert lint(make_library({"good/valid": page.replace("CogError", "RuntimeError")})) == []


def test_lint_of_one_file_reports_that_file_alone(make_library: LibraryMaker) -> None:
    shouting = VALID.replace("larger store.", "larger store!")
    library = make_library({"good/one": shouting.replace("cogs", "nuts"), "good/two": shouting.replace("cogs", "bolts")})
    paths = {problem.path for problem in lint(library, only=[library.folder / "good" / "two.yaml"])}
    assert paths == {str(library.folder / "good" / "two.yaml")}


def test_the_schema_is_up_to_date() -> None:
    stored = (SIGNATURES / SCHEMA_NAME).read_text("utf-8")
    assert stored == schema_text(), "signatures/schema.json is stale; run `firstfault signature build`"


def test_the_schema_accepts_a_valid_entry_and_refuses_an_unknown_field() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    page = yaml.load((HERE / "good" / "valid.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)
    assert [error.message for error in validator.iter_errors(page)] == []
    assert [error.validator for error in validator.iter_errors({**page, "colour": "blue"})] == ["additionalProperties"]
