"""The real engine over the compiled catalogue, made once."""

from __future__ import annotations

import pytest

from firstfault.engine import Engine


@pytest.fixture(scope="session")
def engine() -> Engine:
    return Engine()
