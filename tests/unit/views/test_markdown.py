"""The Markdown view: complete, and safe to paste where @ and # mean something."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from firstfault.views.markdown import fenced, prose, render

from . import logs
from .conftest import Diagnose


def test_the_sections_come_in_the_order_in_which_they_are_needed(diagnose: Diagnose) -> None:
    text = render(diagnose(logs.ECC))
    wanted = [
        "### ✖ Rank 2 failed first",
        "established · 0.93",
        "**Why first:**",
        "**Cause:**",
        "**Fix**",
        "**Verify**",
        "<details>",
        "**References**",
    ]
    places = [text.find(part) for part in wanted]
    assert -1 not in places
    assert places == sorted(places)


def test_an_open_question_begins_with_what_to_fetch(diagnose: Diagnose) -> None:
    text = render(diagnose(logs.TIMEOUTS_ONLY))
    assert text.startswith("### ? First fault not settled.")
    assert text.index("**Fetch first**") < text.index("**Known:**") < text.index("**Fix, if so**")


def test_a_healthy_run_is_one_bold_line_and_its_notes(diagnose: Diagnose) -> None:
    text = render(diagnose(logs.CAUGHT))
    assert text.startswith("**✔ No failure found in 1 log")
    assert "- Unhandled exception: FileNotFoundError (line 6): it did not end the run" in text
    assert "###" not in text


def test_log_lines_and_commands_are_quoted_as_they_are(diagnose: Diagnose) -> None:
    assert "\n```\nShardError: no shard for key 'wte.weight' @torch #12 in <index> of `model_a`\n```\n" in render(diagnose(logs.UNKNOWN))
    assert "   ```sh\n   nvidia-smi --gpu-reset -i <GPU>\n   ```" in render(diagnose(logs.ECC))


def test_collateral_is_a_folded_table(diagnose: Diagnose) -> None:
    text = render(diagnose(logs.ECC))
    assert "<summary>Collateral: 3 other failures that this one explains</summary>" in text
    assert re.search(r"^\| 3 \| A collective timed out waiting for a peer \| 0, 1, 3 \| line 3 \| an effect of .* \|$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("use <GPU> here", r"use \<GPU\> here"),
        ("__init__ and *args", r"\_\_init\_\_ and \*args"),
        ("a | b", r"a \| b"),
        ("$HOME and $PATH", r"\$HOME and \$PATH"),
        ("&lt; stays", r"\&lt; stays"),
        ("@torch.compile of #12", "@\u200btorch.compile of #\u200b12"),
        ("mail user@example.org", "mail user@example.org"),
        ("1. not a list", r"1\. not a list"),
        ("- not a list", r"\- not a list"),
        ("# not a heading", r"\# not a heading"),
        ("2026-12-01 10:00", "2026-12-01 10:00"),
        ("see https://example.org/a_b_c now", "see https://example.org/a_b_c now"),
    ],
)
def test_prose_shows_as_it_is(text: str, written: str) -> None:
    assert prose(text) == written


def test_a_fence_is_longer_than_any_run_of_backticks_inside() -> None:
    assert fenced("a ``` b ```` c").startswith("`````\n")


def test_every_fence_is_closed_whatever_the_log_holds(diagnose: Diagnose) -> None:
    report = diagnose(logs.UNKNOWN)
    first = replace(report.incidents[0].initiator, text="``` </details> <script>alert(1)</script>")
    text = render(replace(report, incidents=[replace(report.incidents[0], initiator=first)]))
    assert "\n````\n``` </details> <script>alert(1)</script>\n````\n" in text
