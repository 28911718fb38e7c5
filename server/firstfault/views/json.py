"""The report as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from firstfault.report import Report


def render(report: Report) -> str:
    """The document that `--format json` writes."""
    return json.dumps(asdict(report), ensure_ascii=False, indent=2) + "\n"
