"""Diagnoses texts as one run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from firstfault.engine import Engine
from firstfault.report import Report

Diagnose = Callable[..., Report]


@pytest.fixture
def diagnose(engine: Engine) -> Diagnose:
    """`diagnose(log)` or `diagnose(**{name: log})`: the report over these texts as one run."""

    def run(log: str | None = None, *, only: int | None = None, **logs: str) -> Report:
        named = {"run.log": log} if log is not None else {f"{name}.log": text for name, text in logs.items()}
        return engine.report([engine.scan_text(text, name) for name, text in named.items()], rank=only)

    return run
