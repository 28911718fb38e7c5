"""Puts this log's values into the texts of an entry."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACE = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
_SENTENCE = re.compile(r"(?<=[.;:]) +(?=[A-Z0-9{])")
_COMMAND_NAMES = {"gpu": "GPU", "host": "HOST", "rank": "RANK", "pid": "PID", "file": "FILE", "line": "LINE"}
_BLANK = re.compile(r"<([A-Z][A-Z_]*)>")
_MEANT = {
    "PID": "pid",
    "PID_OF_SILENT_RANK": "pid",
    "HOST": "host",
    "NODE": "host",
    "NODENAME": "host",
    "RANK": "rank",
    "GPU": "gpu",
    "GPU_INDEX": "gpu",
}
"""Blanks that a catalogue text leaves for the reader, by the value that fills them."""


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text for people: sentences that name a value which the log does not give are left out."""
    if "{" not in text:
        return " ".join(text.split())
    kept = [s for s in _SENTENCE.split(text) if all(n in values for n in _PLACE.findall(s))]
    if not kept:
        kept = [_PLACE.sub("", text)]
    return " ".join(" ".join(_PLACE.sub(lambda m: values.get(m[1], ""), s) for s in kept).split())


def command(text: str, values: Mapping[str, str]) -> str:
    """A command: a value that the log does not give becomes, or stays, `<NAME>`."""
    given = _PLACE.sub(lambda m: values.get(m[1]) or f"<{_COMMAND_NAMES.get(m[1], m[1].upper())}>", text)
    return _BLANK.sub(lambda m: values.get(_MEANT.get(m[1], ""), m[0]), given)


def on_host(text: str, values: Mapping[str, str]) -> str:
    """A look into the kernel log, made on the host that the log names."""
    host = values.get("host")
    if host is None or not text.startswith(("dmesg", "journalctl")):
        return text
    quote = '"' if "'" in text else "'"
    return text if quote in text else f"ssh {host} {quote}{text}{quote}"
