"""Reduces the log of a run to its kinds of message lines, so that two runs of one launcher version give the same."""

from __future__ import annotations

import re

_PREFIX = r"^(?:\[(?:rank|default|1,)?\d+\](?:<std(?:out|err)>)?:\s?)*"
_NOISE = re.compile(_PREFIX + r'(?:\s*|\s*File ".*|\s{4,}.*|[\s~^]+)$')
"""Stack frames and quoted code: they are Python's and move with every release of a library."""

_MASKS = (
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"([=*-])\1{9,}"), r"\1\1\1"),
    (re.compile(r"\d{4}-\d\d-\d\d[ T_]\d\d:\d\d:\d\d(?:[.,]\d+)?"), "<time>"),
    (re.compile(r"\b([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+"), r"\1<time>"),
    (re.compile(r"\[?\b\d{1,3}(?:\.\d{1,3}){3}\b\]?|\[[0-9a-fA-F]*:[0-9a-fA-F:]+\]"), "<address>"),
    (re.compile(r"(^\s*host\s*: ).*"), r"\1<host>"),
    (re.compile(r"((?:mpi|prte)run noticed .* on node )\S+"), r"\1<host>"),
    (re.compile(r"\[prterun-[^\s@]+@"), "[prterun-<host>@"),
    (re.compile(r"(?<!\S)\S*site-packages/"), "<path>/"),
    (re.compile(r"(?<![\w<>./])/(?:[\w.@+-]+/)+"), "<path>/"),
    (re.compile(r"<path>/python\S*"), "<path>/python"),
    (re.compile(r"0x[0-9a-fA-F]+"), "<n>"),
    (re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w>])"), "<n>"),
    (re.compile(r"\d+"), "<n>"),
)


def message_lines(text: str) -> list[str]:
    """The different message lines of a log in alphabetical order, without numbers, pids, paths, hosts and times."""
    return sorted({masked(line) for line in text.splitlines() if not _NOISE.match(line)})


def masked(line: str) -> str:
    """One line without what differs from run to run."""
    for pattern, instead in _MASKS:
        line = pattern.sub(instead, line)
    return line.rstrip()
