"""The catalogue page as plain data; the JSON Schema, the loader and the pages are all made from these classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["cause", "effect", "wrapper", "notice"]
Severity = Literal["critical", "error", "warning"]
Status = Literal["draft", "stable", "retired"]
Scope = Literal["specific", "class"]
Owner = Literal["code", "data", "configuration", "environment", "hardware", "network", "storage", "scheduler"]
Cost = Literal["seconds", "minutes", "hours", "drain"]
FixKind = Literal["code", "config", "environment", "hardware", "wait"]
Risk = Literal["safe", "restart", "data-loss", "admin"]


def doc(text: str, default: Any = ..., *, pattern: str | None = None, max_length: int | None = None) -> Any:
    """A dataclass field with its description and limits; a field without a default is mandatory."""
    metadata = {"doc": text, "pattern": pattern, "max_length": max_length}
    if default is ...:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One way to recognise the failure in a line."""

    near: str = doc("A literal that stands in the line, found without regard to case.")
    line: str = doc("A regex that the line without its prefixes, or the whole text of an exception, must match.")
    where: Literal["any", "exception"] = doc("Restricts the pattern to exception texts.", "any")
    frames: str | None = doc("A regex that must match in the frames of the traceback.", None)
    nearby: str | None = doc("A regex that some other line within 60 lines must match.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognise:
    """How the failure is found."""

    any: tuple[Pattern, ...] = doc("One of these patterns recognises the failure.")
    exclude: tuple[str, ...] = doc("Regexes: a line that matches one of them is not this failure.", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """What is seen, and the reason for it."""

    see: str = doc("What somebody notices.")
    because: str = doc("Why the fault shows in that way.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A look that confirms the cause, or that it is mended."""

    do: str | None = doc("What to do, in words.", None)
    run: str | None = doc("The command.", None)
    read: str = doc("How to read what it shows.")
    cost: Cost = doc("How long it takes; `drain` when the node must be emptied first.")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetKeyword:
    """A keyword argument to set in a call of the user's file."""

    call: str = doc("Full name of the called function or class, as it ends: `torch.load`, `DataLoader`; alternatives are parted by |.")
    keyword: str = doc("Name of the keyword argument.")
    value: str = doc("Python source of the value.")
    position: str | None = doc("Position from 0 among the arguments, where it may be given without its name.", None, pattern=r"^\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetEnv:
    """An environment variable to set in a launch script or configuration."""

    name: str = doc("Name of the variable.")
    value: str = doc("Its value.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapArgument:
    """A conversion of one argument, in the call that failed."""

    call: str = doc("Full name of the called function, as it ends; alternatives are parted by |.")
    position: str = doc("Position of the argument, from 0.", pattern=r"^\d+$")
    keyword: str | None = doc("Its name, where it may be given by name.", None)
    template: str = doc("Python source with {} for the argument as it stands: `{}.long()`.", pattern=r"^[^{}]*\{\}[^{}]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplaceMethod:
    """Another method, or a chain that ends in it, in place of the one that failed."""

    call: str = doc("Name of the method: `view`.")
    by: str = doc("What is called in its place: `reshape`, `detach().cpu().numpy`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change that an editor may offer in the user's own file."""

    set_keyword: SetKeyword | None = doc("Set a keyword argument.", None)
    set_env: SetEnv | None = doc("Set an environment variable.", None)
    wrap_argument: WrapArgument | None = doc("Convert an argument of the call that failed.", None)
    replace_method: ReplaceMethod | None = doc("Call another method in the line that failed.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """One way out, with what it risks."""

    do: str = doc("What to change, in words.")
    run: str | None = doc("The command that does it.", None)
    kind: FixKind = doc("What is changed.")
    risk: Risk = doc("What the change may cost if it is wrong.")
    costs: str | None = doc("What one pays for it.", None)
    edit: Edit | None = doc("A change for the editor.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Monitor:
    """A metric that would have told earlier."""

    metric: str = doc("Name of the metric.")
    promql: str | None = doc("An alert expression.", None)
    source: str = doc("The exporter that offers it.")
    alert: str | None = doc("When to alert, in words.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """A few lines for one stack."""

    stack: str = doc("The stack that the lines are for.")
    code: str = doc("The lines.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingFact:
    """A fact that would settle a likely cause."""

    fact: str = doc("What is not known.")
    run: str | None = doc("The command that gets it.", None)
    would_show: str = doc("What it would tell.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """An authoritative source."""

    url: str = doc("Address.", pattern=r"^https://")
    says: str = doc("What it says about this failure.")
    seen: str = doc("Date of the last look, YYYY-MM-DD.", pattern=r"^\d{4}-\d\d-\d\d$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """One sentence for each reader."""

    on_call: str = doc("For the person who was woken up.")
    engineer: str = doc("For the person who mends it for good.")
    manager: str = doc("For the person who decides.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchExample:
    """Log text that must be recognised."""

    log: str = doc("The text, as printed.")
    origin: str = doc("The software and version that prints it.")
    captures: dict[str, str] | None = doc("Captures that must come out.", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """Log text that must not be recognised."""

    log: str = doc("The text.")
    why: str = doc("Why it is something else.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """The tests of the entry."""

    match: tuple[MatchExample, ...] = doc("Must be recognised; at least two.")
    near_miss: tuple[NearMiss, ...] = doc("Must not be recognised; at least one.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One catalogue page: how to recognise a failure and all that is known about it."""

    id: str = doc("<category>/<name>", pattern=r"^[a-z]+/[a-z0-9]+(-[a-z0-9]+)*$")
    title: str = doc("Names the failure, not the cure.", max_length=80)
    status: Status = doc("How far to trust it.")
    since: str = doc("First release that carries it.")
    severity: Severity = doc("What it does to the run.")
    kind: Kind = doc("Whether it can be the first fault.")
    scope: Scope = doc("`class` entries yield to every specific cause at the same place.", "specific")
    owner: Owner = doc("Whose turn it is.")
    aliases: tuple[str, ...] = doc("Words people search for.", ())
    codes: tuple[str, ...] = doc("Table rows that this page explains.", ())
    recognise: Recognise = doc("How the failure is found.")
    requires: tuple[str, ...] = doc("What makes a lead an established cause.", ("uncaught", "died"))
    yields_to: tuple[str, ...] = doc("Entries that win at the same place.", ())
    explains: tuple[str, ...] = doc("Effects that this fault accounts for.", ())
    cause: str = doc("One or two sentences, with captures.")
    mechanism: str = doc("Why it happens.")
    symptoms: tuple[Symptom, ...] = doc("What is seen and why.")
    affects: tuple[str, ...] = doc("Systems, versions, hardware.")
    confirm: tuple[Check, ...] = doc("How to make sure.")
    fix: tuple[Fix, ...] = doc("Ways out, best first.")
    verify: tuple[Check, ...] = doc("How one knows that it is mended.")
    prevent: tuple[str, ...] = doc("How to keep it from coming back.")
    monitor: tuple[Monitor, ...] = doc("Metrics that would have told earlier.", ())
    snippets: tuple[Snippet, ...] = doc("Lines for particular stacks.", ())
    missing: tuple[MissingFact, ...] = doc("Facts that would settle it.", ())
    references: tuple[Reference, ...] = doc("Authoritative sources.")
    related: tuple[str, ...] = doc("Other entries.", ())
    notes: Notes = doc("A sentence for each reader.")
    examples: Examples = doc("The tests of the entry.")

    @property
    def category(self) -> str:
        """Folder of the entry."""
        return self.id.split("/", 1)[0]


# YAML names that Python cannot use as field names, or that read better in a file.
YAML_NAMES = {"where": "in", "exclude": "not", "origin": "from"}
REQUIREMENT = r"^(match|uncaught|died|nearby|two-patterns|collateral|signal:SIG[A-Z]+|exit:-?\d+)$"
