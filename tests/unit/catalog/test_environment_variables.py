"""The table of environment variables: what matters is there, and can be asked for as people write it."""

from __future__ import annotations

import pytest

from firstfault.catalog.compiled import Catalog
from firstfault.catalog.lookup import lookup, rows_of

FAMILIES = ("NCCL_", "TORCH_NCCL_", "TORCH", "CUDA_", "PYTORCH_", "HF_", "VLLM_", "OMP_", "SLURM_", "GLOO_", "RAY_", "XLA_")


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_there(catalog: Catalog, family: str) -> None:
    assert any(row.name.startswith(family) for row in rows_of(catalog, "env-variables"))


@pytest.mark.parametrize("question", ["NCCL_IB_TIMEOUT", "env NCCL_IB_TIMEOUT", "nccl_ib_timeout", "environment variable NCCL_IB_TIMEOUT"])
def test_a_variable_is_found_as_people_write_it(catalog: Catalog, question: str) -> None:
    assert [row.code for row in lookup(catalog, question).rows][:1] == ["NCCL_IB_TIMEOUT"]


@pytest.mark.parametrize(("question", "code"), [("FAULT_PDE", "FAULT_PDE"), ("SequenceNumber", "SeqNum"), ("term OpType", "OpType")])
def test_a_word_of_a_message_is_found(catalog: Catalog, question: str, code: str) -> None:
    assert [row.code for row in lookup(catalog, question).rows][:1] == [code]
