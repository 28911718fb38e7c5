"""`what is …`: which page and which table rows a question leads to."""

from __future__ import annotations

import pytest

from firstfault.catalog.compiled import Catalog
from firstfault.catalog.lookup import lookup
from firstfault.catalog.search import ranked


def _rows(catalog: Catalog, query: str) -> list[str]:
    return [f"{row.table} {row.code}" for row in lookup(catalog, query).rows]


def _entries(catalog: Catalog, query: str) -> list[str]:
    return [match.id for match in lookup(catalog, query).entries]


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("xid 79", "xid 79"),
        ("Xid79", "xid 79"),
        ("Xid: 79,", "xid 79"),
        ("sxid 20034", "sxid 20034"),
        ("cuda 719", "cuda-errors 719"),
        ("CUDA error 719", "cuda-errors 719"),
        ("CUDA error: misaligned address", "cuda-errors 716"),
        ("cudaErrorLaunchFailure", "cuda-errors 719"),
        ("CUDA_ERROR_ILLEGAL_ADDRESS", "cuda-errors 700"),
        ("an illegal memory access was encountered", "cuda-errors 700"),
        ("CUBLAS_STATUS_ALLOC_FAILED", "cuda-errors CUBLAS_STATUS_ALLOC_FAILED"),
        ("ncclRemoteError", "nccl-results 6"),
        ("nccl 6", "nccl-results 6"),
        ("exit 137", "exit-codes 137"),
        ("exit code (137)", "exit-codes 137"),
        ("137", "exit-codes 137"),
        ("-9", "exit-codes -9"),
        ("exitcode: -9", "exit-codes -9"),
        ("SIGKILL", "signals 9"),
        ("signal 9", "signals 9"),
        ("status=12", "ib-completion-status 12"),
        ("ib wc 12", "ib-completion-status 12"),
        ("OUT_OF_MEMORY", "slurm-states OUT_OF_MEMORY"),
        ("OOMKilled", "kubernetes-reasons OOMKilled"),
        ("Reason: OOMKilled", "kubernetes-reasons OOMKilled"),
        ("[Errno 28]", "errno 28"),
        ("nvml 18", "nvml-results 18"),
        ("RESET_GPU", "repair-actions RESET_GPU"),
        ("NVRM: Xid (PCI:0000:91:00): 94, pid=71, name=python, Ch 00000008", "xid 94"),
    ],
)
def test_a_code_is_found_in_every_usual_spelling(catalog: Catalog, query: str, row: str) -> None:
    assert _rows(catalog, query)[0] == row


@pytest.mark.parametrize(
    ("query", "entry"),
    [
        ("gpu/off-the-bus", "gpu/off-the-bus"),
        ("GPU/off-the-bus", "gpu/off-the-bus"),
        ("xid 79", "gpu/off-the-bus"),
        ("NVML_ERROR_GPU_IS_LOST", "gpu/off-the-bus"),
        ("SIGKILL", "launch/killed"),
        ("row remap", "gpu/row-remap-pending"),
        ("remapping rows", "gpu/row-remap-pending"),
        ("loss nan", "numerics/loss-nan"),
        ("card disappeared", "gpu/off-the-bus"),
    ],
)
def test_the_page_that_explains_it_comes_first(catalog: Catalog, query: str, entry: str) -> None:
    assert _entries(catalog, query)[0] == entry


def test_a_page_comes_with_the_rows_that_it_explains(catalog: Catalog) -> None:
    assert _rows(catalog, "gpu/off-the-bus") == ["xid 79", "nvml-results 15"]


def test_a_code_of_several_pages_lists_them_the_broadest_first(catalog: Catalog) -> None:
    assert _entries(catalog, "exit 137") == ["launch/killed", "launch/loader-killed"]


def test_a_code_without_a_page_is_answered_by_its_row_alone(catalog: Catalog) -> None:
    answer = lookup(catalog, "xid 13")
    assert answer.found
    assert answer.entries == ()
    assert answer.rows[0].owner == "code"


def test_a_number_without_context_is_an_exit_code_and_names_the_other_tables_that_have_it(catalog: Catalog) -> None:
    assert lookup(catalog, "137").suggestions == ("xid 137",)


def test_a_number_that_is_no_exit_code_is_not_guessed(catalog: Catalog) -> None:
    answer = lookup(catalog, "79")
    assert not answer.found
    assert answer.suggestions == ("xid 79",)


def test_an_unknown_code_leads_to_the_nearest_ones(catalog: Catalog) -> None:
    answer = lookup(catalog, "xid 186")
    assert not answer.found
    assert answer.suggestions == ("xid 185", "xid 184", "xid 183")


def test_a_misspelt_name_leads_to_the_right_one(catalog: Catalog) -> None:
    answer = lookup(catalog, "cudaErrorIlegalAddress")
    assert not answer.found
    assert answer.suggestions[0] == "cudaErrorIllegalAddress"


@pytest.mark.parametrize("query", ["", "   ", "?", "qqqqqqq", "(((", "[unclosed", "\\", "x" * 5000])
def test_nonsense_finds_nothing_and_does_not_fail(catalog: Catalog, query: str) -> None:
    assert not lookup(catalog, query).found


def test_words_in_the_title_weigh_more_than_words_in_the_cause(catalog: Catalog) -> None:
    found = [match.id for match in ranked(catalog.subjects, "row")]
    assert found == ["gpu/row-remap-pending", "numerics/loss-nan"]


def test_with_several_words_a_page_that_holds_all_beats_those_that_hold_some(catalog: Catalog) -> None:
    assert [match.id for match in ranked(catalog.subjects, "dataloader sigkill")] == ["launch/loader-killed"]


def test_half_of_the_words_is_enough_only_where_no_page_holds_all(catalog: Catalog) -> None:
    assert [match.id for match in ranked(catalog.subjects, "nan teapot")] == ["numerics/loss-nan"]
    assert ranked(catalog.subjects, "nan teapot", whole=True) == []
