"""Compiles the catalogue into the package while it is built."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogHook(BuildHookInterface[Any]):
    """Writes `server/firstfault/_catalog.jsonl` from `signatures/`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it collects the files."""
        root = Path(self.root)
        sys.path.insert(0, str(root / "server"))
        from firstfault.catalog.compiled import PACKED, build

        Path(PACKED).write_bytes(build(root / "signatures"))
