"""Hover: the diagnosis of a line, and what tokens mean."""

from __future__ import annotations

import pytest
from lsprotocol import types

from firstfault.lsp.client import COPY, EXPLAIN, Client
from firstfault.lsp.hover import hover
from firstfault.lsp.settings import Settings
from firstfault.lsp.token_hover import token_hover
from tests.unit.lsp.conftest import Diagnose
from tests.unit.lsp.logs import HEALTHY, RANKS

FIRST = 7
LAUNCHER = 10


def text_at(diagnose: Diagnose, log: str, line: int, character: int, client: Client | None = None) -> str | None:
    found = hover(diagnose(log), types.Position(line, character), Settings(), client=client or Client())
    return found.contents.value if found and isinstance(found.contents, types.MarkupContent) else None


def test_the_first_fault_is_told_in_the_order_in_which_one_needs_it(diagnose: Diagnose) -> None:
    text = text_at(diagnose, RANKS, FIRST, 12)
    assert text is not None
    order = [
        "failed first: DDP",
        "**Cause:**",
        "**Fix:**",
        "**Why first:**",
        "parallel/ddp-unused-parameters",
        "---",
        "**Prevent**",
        "**References**",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "4 5" in text


def test_under_its_diagnostic_the_hover_begins_with_the_cause(diagnose: Diagnose) -> None:
    text = text_at(diagnose, RANKS, FIRST, 12, Client(shows_diagnostics_in_hovers=True))
    assert text is not None
    assert text.startswith("**Cause:**")
    assert "failed first" not in text
    above = text_at(diagnose, RANKS, 2, 3, Client(shows_diagnostics_in_hovers=True))
    assert "failed first: DDP" in (above or ""), "the other lines of the traceback carry no diagnostic"


def test_every_line_of_the_traceback_has_the_same_hover(diagnose: Diagnose) -> None:
    # The frame line names a file of PyTorch, which is no token.
    assert text_at(diagnose, RANKS, 2, 3) == text_at(diagnose, RANKS, FIRST, 12)


def test_collateral_names_what_explains_it(diagnose: Diagnose) -> None:
    text = text_at(diagnose, RANKS, LAUNCHER, 0)
    assert text is not None
    assert "**Explained by:**" in text
    assert "line 8" in text


def test_healthy_lines_have_no_hover(diagnose: Diagnose) -> None:
    assert text_at(diagnose, RANKS, 0, 3) is None
    assert text_at(diagnose, RANKS, 999, 0) is None


def test_links_run_commands_only_where_the_client_has_them(diagnose: Diagnose) -> None:
    able = Client(commands=frozenset((EXPLAIN, COPY)), command_links=True)
    assert f"(command:{EXPLAIN}?%5B%22parallel%2Fddp-unused-parameters%22%5D)" in (text_at(diagnose, RANKS, FIRST, 12, able) or "")
    assert "command:" not in (text_at(diagnose, RANKS, FIRST, 12) or "")


def test_text_of_the_log_cannot_make_links(diagnose: Diagnose) -> None:
    log = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: [click](command:evil) <b>\n'
    text = text_at(diagnose, log, 2, 0)
    assert text is not None
    assert "[click]" not in text


TOKENS = {
    "Xid 94": (1, "Xid", "xid 94"),
    "an exit code": (2, "-9", "SIGKILL"),
    "a completion status": (3, "status", "ib wc 12"),
    "a vendor error": (3, "vendor", "NIC says more"),
    "an NCCL result": (4, "ncclRemote", "A peer process ended"),
    "a CUDA error": (5, "719", "cuda 719"),
    "a sequence number": (6, "SeqNum", "behind"),
    "an operation": (6, "OpType", "same on all ranks"),
    "a fault type": (7, "FAULT_PDE", "page directory"),
    "an access type": (7, "ACCESS_TYPE", "read of a virtual address"),
    "an NCCL variable": (8, "NCCL_IB", "acknowledgement"),
    "a torch variable": (8, "TORCH_NCCL", "blocks"),
    "a Slurm state": (9, "NODE_FAIL", "lost contact"),
}


@pytest.mark.parametrize(("line", "token", "meaning"), TOKENS.values(), ids=list(TOKENS))
def test_a_token_is_explained(diagnose: Diagnose, line: int, token: str, meaning: str) -> None:
    row = HEALTHY.split("\n")[line]
    log = f"step 1\n{row}\n"
    text = text_at(diagnose, log, 1, row.index(token) + 1)
    assert text is not None
    assert meaning in text.replace("\\", "").replace("*", "")


def test_the_range_of_a_token_counts_in_units_of_the_client(diagnose: Diagnose) -> None:
    row = HEALTHY.split("\n")[10]
    expected = {"utf-8": len(row[: row.index("Xid")].encode()), "utf-16": row.index("Xid") + 2, "utf-32": row.index("Xid")}
    for encoding, start in expected.items():
        found = hover(diagnose(row, encoding=encoding), types.Position(0, start), Settings())
        assert found is not None
        assert found.range is not None
        assert (found.range.start.character, found.range.end.character) == (start, start + 6)


@pytest.mark.parametrize(("line", "word"), [(0, "loss"), (2, "finished"), (2, "worker"), (9, "train"), (9, "root")])
def test_plain_words_are_no_tokens(diagnose: Diagnose, line: int, word: str) -> None:
    row = HEALTHY.split("\n")[line]
    position = types.Position(0, row.index(word) + 1)
    assert token_hover(diagnose(row), position, Settings()) is None
