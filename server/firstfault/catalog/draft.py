"""Turns one line of a log into a catalogue file that is ready to be filled in."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import regex

from firstfault import __version__
from firstfault.errors import UsageError

LONGEST_TEXT = 400
LONGEST_NEAR = 80
SHORTEST_NEAR = 5
_VARIABLE = re.compile(
    r"""
      (?P<address>0x[0-9a-fA-F]+)
    | (?P<hex>\b(?=[0-9a-f-]*\d)(?=[0-9a-f-]*[a-f])[0-9a-f]{8}(?:-[0-9a-f]{4,12})*[0-9a-f]*\b)
    | (?P<path>(?<![\w/:.])(?:[A-Za-z]:)?(?:/[\w.@%+~-]*\w){2,}/?)
    | (?P<ip>(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![\w.]))
    | (?P<decimal>(?<![\w.])\d+\.\d+(?![\d.]))
    | (?P<number>(?<![A-Za-z_\d])\d+)
    """,
    re.VERBOSE,
)
_GENERAL = {
    "address": "0x[0-9a-fA-F]+",
    "hex": "[0-9a-f-]+",
    "path": r"""[^\s'",:;)\]]+""",
    "ip": r"[\d.:]+",
    "decimal": r"[\d.]+",
    "number": r"\d+",
}

_PAGE = """\
# yaml-language-server: $schema=../schema.json
id: {id}
title: # names the failure in at most 80 characters, not the cure
status: draft # draft, stable or retired; a draft never gives more than a note
since: {since}
severity: error # critical, error or warning
kind: cause # cause, effect, wrapper or notice
owner: # whose turn it is: code, data, configuration, environment, hardware, network, storage or scheduler
recognise:
  any:
    - near: {near}
      line: {line}
cause: # one or two sentences in terms of this log; a capture (?P<name>...) of the pattern may stand there as {{name}}
mechanism: # why it happens, two to five sentences
symptoms: # a list of {{see: "...", because: "..."}}
affects: # a list: systems, versions, hardware
confirm: # a list of {{run: "...", read: "how to read its output", cost: seconds}}; cost: seconds, minutes, hours or drain
fix: # best first: a list of {{do: "...", run: "...", kind: config, risk: restart}}
# kind: code, config, environment, hardware or wait; risk: safe, restart, data-loss or admin
verify: # how one knows that it is mended: a list of {{run: "...", read: "...", cost: minutes}}
prevent: # a list of sentences
references: # at least one authoritative source: a list of {{url: "https://...", says: "...", seen: YYYY-MM-DD}}
notes:
  on_call: # a sentence for the person who was woken up
  engineer: # a sentence for the person who mends it for good
  manager: # a sentence for the person who decides
examples:
  match: # at least two, of different versions or programs
    - log: {log}
      from: # the software that prints it, with its version
  near_miss: # a list of {{log: "...", why: "..."}}: a line that looks alike and is something else
"""


@dataclass(frozen=True, slots=True)
class Drafted:
    """How a line may be recognised."""

    text: str
    near: str
    line: str


def draft_pattern(text: str) -> Drafted:
    """A literal and a regex for a line without its prefix; raises UsageError when no literal of it is long enough."""
    kept = _shortened(text.strip())
    literals: list[str] = []
    parts: list[str] = []
    position = 0
    for match in _VARIABLE.finditer(kept):
        literals.append(kept[position : match.start()])
        parts += [_escaped(literals[-1]), _GENERAL[match.lastgroup or "number"]]
        position = match.end()
    literals.append(kept[position:])
    parts.append(_escaped(literals[-1]))
    near = max((_near(literal) for literal in literals), key=len)
    if len(near) < SHORTEST_NEAR:
        raise UsageError(f"without its numbers and paths the line has no wording of {SHORTEST_NEAR} characters; choose another line")
    return Drafted(kept, near, "".join(parts))


def draft_page(signature: str, drafted: Drafted) -> str:
    """Text of a catalogue file with empty headings, each with a hint."""
    return _PAGE.format(
        id=signature,
        since=__version__,
        near=_double_quoted(drafted.near),
        line="'" + drafted.line.replace("'", "''") + "'",
        log=_double_quoted(drafted.text),
    )


def _near(literal: str) -> str:
    bare = " ".join(literal.split()) if literal.isprintable() else max(re.split(r"[^ -~]+", literal), key=len).strip()
    if bare not in literal:
        bare = max(re.split(r"\s{2,}|\t", literal), key=len).strip()
    if len(bare) > LONGEST_NEAR:
        bare = bare[:LONGEST_NEAR].rsplit(" ", 1)[0]
    return bare.strip(" ,;:'\"").lower()


def _escaped(literal: str) -> str:
    printable = "".join(c if c.isprintable() else "\0" for c in literal)
    return regex.escape(printable, special_only=True, literal_spaces=True).replace("\\\0", ".").replace("\0", ".").replace("\\-", "-")


def _double_quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rsplit(" ", 1)[0]
