"""Short names for the sources of a report, so that long paths do not drown the sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firstfault.report import Report


class Places:
    """Where things stand, in as few characters as tell the sources of one report apart."""

    def __init__(self, report: Report) -> None:
        names = [s.name for s in report.sources]
        self._only = names[0] if len(names) == 1 else None
        self.folder, self._short = _shortened(names)
        longest_first = sorted(names, key=len, reverse=True)
        # Not the end of a longer path: `/run/train.log` is no mention of a source that is called `train.log`.
        alternatives = "|".join(map(re.escape, longest_first))
        self._pattern = re.compile(rf"(?<![\w/\\.-])({alternatives})(?::(\d+))?(?![\w/\\])") if names else None

    def at(self, source: str, line: int) -> str:
        """A place: `line 35` where one source was read, else `node-a.log:35`."""
        return f"line {line}" if source == self._only else f"{self._short.get(source, source)}:{line}"

    def compact(self, text: str) -> str:
        """A text with the names of sources shortened."""
        return self._pattern.sub(self._replacement, text) if self._pattern else text

    def _replacement(self, match: re.Match[str]) -> str:
        return self.at(match[1], int(match[2])) if match[2] else self._short[match[1]]


def _shortened(names: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The folder that all names share, and what is left of each name."""
    parts = [re.split(r"(?<=[/\\])", name) for name in names]
    shared = 0
    while parts and all(shared < len(p) - 1 and p[shared] == parts[0][shared] for p in parts):
        shared += 1
    folder = "".join(parts[0][:shared]) if parts else ""
    return folder, {name: "".join(p[shared:]) for name, p in zip(names, parts, strict=True)}
