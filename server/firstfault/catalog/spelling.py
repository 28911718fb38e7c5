"""The spellings in which people and logs name a code: `xid 79`, `CUDA error 719`, `exitcode: -9`, `status=12`."""

from __future__ import annotations

import re
from dataclasses import dataclass

PREFIXES: dict[str, tuple[str, ...]] = {
    "xid": ("xid",),
    "sxid": ("sxid",),
    "cuda-errors": ("cuda", "cublas", "cudnn"),
    "nccl-results": ("nccl",),
    "signals": ("signal",),
    "slurm-states": ("slurm",),
    "kubernetes-reasons": ("k8s", "kubernetes"),
    "ib-completion-status": ("ib wc",),
    "nvml-results": ("nvml",),
    "errno": ("errno",),
    "exit-codes": ("exit",),
    "repair-actions": ("action",),
    "xid-nvlink5": ("nvlink5",),
    "env-variables": ("env",),
    "log-terms": ("term",),
}
"""Words that stand before a code of each table in `codes` of an entry, in the order in which tables answer."""

BARE_NUMBERS = "exit-codes"
"""The table that a number without any context belongs to."""

_CONTEXTS: tuple[tuple[str, str], ...] = (
    ("sxid", r"sxid"),
    ("xid", r"(?:nvrm: ?)?xid"),
    ("cuda-errors", r"cuda(?: (?:runtime|driver|api))?[ _]?(?:error|failure)?(?: code)?|cublas|cudnn"),
    ("nccl-results", r"nccl(?: error| result| failure)?(?: code)?"),
    ("exit-codes", r"(?:exit(?:ed)?(?: with)?(?: exit)?[ _-]?(?:code|status|value)?|return[ _-]?code|rc)"),
    ("signals", r"(?:killed by |on |via )?signal"),
    ("slurm-states", r"slurm(?: job)?(?: state| reason)?|jobstate"),
    ("kubernetes-reasons", r"(?:k8s|kubernetes|kube|pod)(?: reason)?|reason"),
    ("ib-completion-status", r"ibv?[ _]wc(?:[ _]status)?|wc(?: status| error)?|ib(?: status)?|(?:completion )?status"),
    ("nvml-results", r"nvml(?: error)?(?: code)?"),
    ("errno", r"\[?errno|os error"),
    ("repair-actions", r"(?:repair |recovery )?action"),
    ("xid-nvlink5", r"nvlink5"),
    ("env-variables", r"(?:env(?:ironment)?(?: variable)?)"),
    ("log-terms", r"(?:log )?term"),
)
_NUMBER = re.compile(r"-?\d+")


@dataclass(frozen=True, slots=True)
class Spelled:
    """A code together with the table that its context names."""

    table: str
    code: str

    @property
    def is_number(self) -> bool:
        """Whether the code is a number, so that nothing but a code can be meant."""
        return bool(_NUMBER.fullmatch(self.code))


def spelled(query: str) -> list[Spelled]:
    """The readings of a query as a code; none for free text."""
    text = query.strip()
    if _NUMBER.fullmatch(text):
        return [Spelled(BARE_NUMBERS, text)]
    readings: list[Spelled] = []
    for table, context in _CONTEXTS:
        match = re.fullmatch(rf"(?:{context})(?:[\s:=#(]*(?P<number>-?\d+)[)\],.:]*|[\s:=#(]+(?P<word>\S.*?)[)\],.]*)", text, re.IGNORECASE)
        if match:
            readings.append(Spelled(table, match["number"] or match["word"]))
    return readings


def written(table: str, code: str) -> str:
    """How a row is asked for: `xid 79`."""
    return f"{PREFIXES[table][0]} {code}" if table in PREFIXES else code
