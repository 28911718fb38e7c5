"""Compiles a signature folder: `python -m firstfault.catalog signatures server/firstfault/_catalog.jsonl`."""

from __future__ import annotations

import sys
from pathlib import Path

from firstfault.catalog.compiled import build
from firstfault.errors import FirstfaultError


def main() -> int:
    """Compile; 2 and one line on a mistake."""
    try:
        data = build(Path(sys.argv[1]))
    except FirstfaultError as error:
        print(error, file=sys.stderr)
        return 2
    Path(sys.argv[2]).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
