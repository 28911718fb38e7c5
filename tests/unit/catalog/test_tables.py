"""The tables of codes: complete, uniform, and reachable from the lines that name them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, cast

import pytest
import regex

from firstfault.catalog.entry import Owner
from firstfault.catalog.spelling import PREFIXES, written
from firstfault.catalog.table_match import TableRow, resolve, row_of
from firstfault.catalog.tables import read_tables, read_yaml

FOLDER = Path(__file__).parents[3] / "signatures" / "tables"
TABLES = read_tables(FOLDER)
COLUMNS = ["code", "name", "meaning", "kind", "severity", "owner", "action", "applies_to", "related", "source", "aliases", "string"]
KINDS = {"cause", "effect", "wrapper", "notice"}
SEVERITIES = {"critical", "error", "warning", "info"}
OWNERS = set(cast("Any", Owner).__args__)
RECOGNISED = cast("dict[str, list[dict[str, str]]]", read_yaml(FOLDER / "recognise.yaml"))["tables"]

each_table = pytest.mark.parametrize("table", sorted(TABLES))
each_pattern = pytest.mark.parametrize("item", RECOGNISED, ids=[f"{p['table']}-{p['near']}" for p in RECOGNISED])


def _row(table: str, code: str) -> TableRow:
    found = resolve(TABLES[table], table, {"code": code})
    assert found is not None, f"{table} has no code {code}"
    return found


@each_table
def test_every_table_has_the_same_columns(table: str) -> None:
    assert all(list(row) == COLUMNS for row in TABLES[table])


@each_table
def test_a_table_begins_with_what_it_is_its_source_and_its_date(table: str) -> None:
    head = [line for line in (FOLDER / f"{table}.tsv").read_text("utf-8").splitlines() if line.startswith("# ")]
    assert len(head) >= 3
    assert head[1].startswith("# Source: ")
    assert re.search(r"\d{4}-\d\d-\d\d", head[2])


@each_table
def test_no_code_stands_twice(table: str) -> None:
    codes = Counter(row["code"].casefold() for row in TABLES[table])
    assert [code for code, count in codes.items() if count > 1] == []


@each_table
def test_every_cell_holds_a_known_word(table: str) -> None:
    wrong = [
        row["code"] for row in TABLES[table] if row["kind"] not in KINDS or row["severity"] not in SEVERITIES or row["owner"] not in OWNERS
    ]
    assert wrong == []


@each_table
def test_every_row_has_a_meaning_in_one_sentence_and_a_source(table: str) -> None:
    wrong = [row["code"] for row in TABLES[table] if not row["name"] or not re.fullmatch(r"\S.*\.", row["meaning"]) or not row["source"]]
    assert wrong == []


@each_table
def test_a_critical_row_is_a_cause(table: str) -> None:
    assert [row["code"] for row in TABLES[table] if row["severity"] == "critical" and row["kind"] != "cause"] == []


@each_table
def test_related_codes_exist(table: str) -> None:
    known = {written(name, row[column]).casefold() for name, rows in TABLES.items() for row in rows for column in ("code", "name")}
    related = [(row["code"], code) for row in TABLES[table] for code in row_of(table, row).related]
    assert [(code, other) for code, other in related if other.casefold() not in known] == []


def test_every_table_can_be_asked_for() -> None:
    assert set(PREFIXES) == set(TABLES)


@pytest.mark.parametrize(("table", "codes"), [("xid", range(1, 186)), ("ib-completion-status", range(24)), ("nccl-results", range(8))])
def test_a_table_has_every_code_of_its_range(table: str, codes: range) -> None:
    assert {row["code"] for row in TABLES[table]} >= {str(code) for code in codes}


@pytest.mark.parametrize(("table", "count"), [("xid", 185), ("sxid", 421), ("xid-nvlink5", 95), ("cuda-errors", 164)])
def test_no_code_of_the_published_lists_is_missing(table: str, count: int) -> None:
    assert len(TABLES[table]) == count


@pytest.mark.parametrize(
    ("table", "code", "name", "kind"),
    [
        ("xid", "79", "ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS", "cause"),
        ("xid", "45", "ROBUST_CHANNEL_PREEMPTIVE_REMOVAL", "effect"),
        ("xid", "154", "GPU_RECOVERY_ACTION_CHANGED", "notice"),
        ("xid", "106", "SMBPBI_TEST_MESSAGE", "notice"),
        ("sxid", "20001", "DLPL_TX_REPLAY", "notice"),
        ("sxid", "22003", "MINION_HALT", "cause"),
        ("cuda-errors", "214", "cudaErrorECCUncorrectable", "cause"),
        ("cuda-errors", "600", "cudaErrorNotReady", "notice"),
        ("nccl-results", "6", "ncclRemoteError", "effect"),
        ("ib-completion-status", "5", "IBV_WC_WR_FLUSH_ERR", "effect"),
        ("exit-codes", "143", "SIGTERM", "effect"),
        ("exit-codes", "-9", "SIGKILL", "cause"),
        ("kubernetes-reasons", "CrashLoopBackOff", "CrashLoopBackOff", "wrapper"),
        ("slurm-states", "NODE_FAIL", "NODE_FAIL", "cause"),
    ],
)
def test_a_row_says_whether_it_can_be_the_first_fault(table: str, code: str, name: str, kind: str) -> None:
    row = _row(table, code)
    assert (row.name, row.kind) == (name, kind)


@each_pattern
def test_the_example_of_a_pattern_leads_to_its_row(item: dict[str, str]) -> None:
    assert item["near"].lower() in item["example"].lower()
    match = regex.search(item["line"], item["example"])
    assert match is not None
    row = resolve(TABLES[item["table"]], item["table"], match.groupdict(""))
    assert row is not None
    assert row.code == item["gives"]


@each_pattern
def test_a_pattern_is_cheap_and_names_a_row_by_a_known_capture(item: dict[str, str]) -> None:
    pattern = regex.compile(item["line"])
    assert set(pattern.groupindex) <= {"code", "name", "text"}
    assert pattern.groupindex
    assert len(item["near"]) >= 5
    pattern.search(item["near"] * 800, timeout=0.25)
    re.compile(item["line"])


@pytest.mark.parametrize(
    ("table", "captures", "code"),
    [
        ("xid", {"code": "079"}, "79"),
        ("exit-codes", {"code": "-09"}, "-9"),
        ("slurm-states", {"code": "OUT_OF_ME+"}, "OUT_OF_MEMORY"),
        ("cuda-errors", {"name": "CUDA_ERROR_ASSERT"}, "710"),
        ("cuda-errors", {"text": "out of memory"}, "2"),
        ("cuda-errors", {"text": "unspecified launch failure. Compile with TORCH_USE_CUDA_DSA"}, "719"),
        ("cuda-errors", {"text": "unspecified launch failure in prior launch"}, "53"),
        ("cuda-errors", {"text": "CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`"}, "CUBLAS_STATUS_NOT_INITIALIZED"),
        ("nccl-results", {"text": "internal error - please report this issue to the NCCL developers"}, "3"),
        ("xid", {"code": "999"}, None),
        ("cuda-errors", {"text": "out of memoryfoo"}, None),
        ("cuda-errors", {}, None),
    ],
)
def test_captures_lead_to_the_row_they_mean(table: str, captures: dict[str, str], code: str | None) -> None:
    row = resolve(TABLES[table], table, captures)
    assert (row.code if row else None) == code
