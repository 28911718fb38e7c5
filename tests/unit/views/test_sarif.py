"""The SARIF view: what the standard requires, and what code-scanning pages use."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from firstfault.report import Report
from firstfault.views.sarif import render, uri

from . import logs
from .conftest import Diagnose


def run_of(report: Report) -> dict[str, Any]:
    document = json.loads(render(report))
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-schema-2.1.0.json")
    assert len(document["runs"]) == 1
    return document["runs"][0]


@pytest.mark.parametrize("log", [logs.ECC, logs.TIMEOUTS_ONLY, logs.UNKNOWN, logs.CAUGHT, logs.HEALTHY])
def test_required_properties_are_there(diagnose: Diagnose, log: str) -> None:
    run = run_of(diagnose(log))
    driver = run["tool"]["driver"]
    assert driver["name"] == "firstfault"
    assert all(rule["id"] and rule["shortDescription"]["text"] and rule["help"]["text"] for rule in driver["rules"])
    assert run["invocations"][0]["executionSuccessful"] is True
    for result in run["results"]:
        assert result["message"]["text"]
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert 0 <= result["rank"] <= 100
        for place in (*result["locations"], *result["relatedLocations"]):
            assert place["physicalLocation"]["artifactLocation"]["uri"] == "run.log"
            assert place["physicalLocation"]["region"]["startLine"] >= 1
        ids = [place["id"] for place in result["relatedLocations"]]
        assert ids == list(range(1, len(ids) + 1))


def test_the_first_fault_is_the_result_and_collateral_is_related(diagnose: Diagnose) -> None:
    (result,) = run_of(diagnose(logs.ECC))["results"]
    assert result["ruleId"] == "gpu/ecc"
    assert result["level"] == "error"
    assert result["message"]["text"].startswith("Rank 2 failed first: Uncorrectable ECC error in GPU memory.")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 2
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["region"]["startLine"] == 3
    assert related["message"]["text"].startswith("Collateral: 3 × A collective timed out waiting for a peer, ranks 0, 1, 3")


def test_an_open_question_is_a_warning_that_says_what_to_fetch(diagnose: Diagnose) -> None:
    (result,) = run_of(diagnose(logs.TIMEOUTS_ONLY))["results"]
    assert result["level"] == "warning"
    assert "Fetch first: The log of the rank that did not join" in result["message"]["text"]


def test_a_rule_carries_fix_and_verification_as_help(diagnose: Diagnose) -> None:
    (rule,) = run_of(diagnose(logs.ECC))["tool"]["driver"]["rules"]
    assert rule["name"] == "GpuEcc"
    assert "nvidia-smi --gpu-reset -i <GPU>" in rule["help"]["text"]
    assert "Expect Pending: No" in rule["help"]["text"]
    assert "**Fix**" in rule["help"]["markdown"]
    assert rule["helpUri"].startswith("https://docs.nvidia.com/")


def test_two_incidents_of_one_kind_share_a_rule(diagnose: Diagnose) -> None:
    report = diagnose(logs.ECC)
    run = run_of(replace(report, incidents=report.incidents * 2))
    assert len(run["tool"]["driver"]["rules"]) == 1
    assert [r["ruleIndex"] for r in run["results"]] == [0, 0]


def test_a_healthy_run_has_no_results_and_its_notes_are_notifications(diagnose: Diagnose) -> None:
    run = run_of(diagnose(logs.CAUGHT))
    assert run["results"] == []
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "FileNotFoundError" in note["message"]["text"]


def test_braces_of_the_log_are_no_placeholders(diagnose: Diagnose) -> None:
    log = logs.UNKNOWN.replace("<index>", "{0}")
    (result,) = run_of(diagnose(log))["results"]
    assert "{{0}}" in result["message"]["text"]
    assert "{0}" in result["locations"][0]["physicalLocation"]["region"]["snippet"]["text"]


def test_the_fingerprint_outlives_a_new_run(diagnose: Diagnose) -> None:
    again = logs.ECC.replace("10:00:03", "11:30:00").replace("step 41000", "step 42000\n[rank0]: more")
    prints = [run_of(diagnose(log))["results"][0]["partialFingerprints"] for log in (logs.ECC, again)]
    assert prints[0] == prints[1]
    assert prints[0] != run_of(diagnose(logs.UNKNOWN))["results"][0]["partialFingerprints"]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("logs/rank 5.err", "logs/rank%205.err"),
        ("/data/run#1.log", "file:///data/run%231.log"),
        ("C:\\runs\\a.log", "file:///C:/runs/a.log"),
        ("s3://bucket/run/rank0.log", "s3://bucket/run/rank0.log"),
        ("<stdin>", "%3Cstdin%3E"),
    ],
)
def test_names_become_uri_references(name: str, written: str) -> None:
    assert uri(name) == written
