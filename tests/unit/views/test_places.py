"""Short names of sources in sentences."""

from __future__ import annotations

from firstfault.views.places import Places

from . import logs
from .conftest import Diagnose


def test_the_only_source_is_named_by_its_lines(diagnose: Diagnose) -> None:
    places = Places(diagnose({"runs/a/train.log": logs.ECC}))
    assert places.compact("see runs/a/train.log:3, and runs/a/train.log.") == "see line 3, and train.log."


def test_a_path_that_ends_like_a_source_is_another_file(diagnose: Diagnose) -> None:
    """A log may be called like the program that wrote it."""
    places = Places(diagnose({"train.py": logs.ECC}))
    assert places.compact("Raised at /workspace/run/train.py:42 in forward.") == "Raised at /workspace/run/train.py:42 in forward."
