"""Logs of runs that did not fail give no failure, however tempting their words are."""

from __future__ import annotations

from pathlib import Path

import pytest
from signature_bench import ROOT

from firstfault.catalog.examples import healthy_hits
from firstfault.engine import Engine

FOLDERS = [folder for folder in (ROOT / "tests" / "healthy", ROOT / "tests" / "cases" / "healthy") if folder.is_dir()]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_healthy_logs_give_no_failure(folder: Path, engine: Engine) -> None:
    hits = healthy_hits(engine, folder)
    assert not hits, "\n" + "\n".join(map(str, hits))


def test_a_run_that_is_taken_for_a_failed_one_is_named_with_signature_and_line(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "good.log").write_text("step 1 loss 0.5\nerror_rate=0.01 0 errors\nstep 2 loss 0.4\ntraining finished\n", "utf-8")
    failing = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\nValueError: bad shape\n'
    (tmp_path / "bad.log").write_text("step 1\n" + failing, "utf-8")
    (hit,) = healthy_hits(engine, tmp_path)
    assert (Path(hit.log).name, hit.line) == ("bad.log", 5)
    assert "ValueError: bad shape" in hit.text
