"""A catalogue page and a table row as headings and items, in a fixed order; every view of them is made from these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, cast

from firstfault.advise.fill import command
from firstfault.catalog.entry import YAML_NAMES, Check, Edit, Entry, Fix, Monitor
from firstfault.catalog.spelling import written
from firstfault.catalog.table_match import TableRow
from firstfault.views.phrases import TURNS

_KINDS = {
    "cause": "can be the first fault",
    "effect": "follows from another fault",
    "wrapper": "says that something else failed",
    "notice": "context, not a failure by itself",
}
_RISKS = {"safe": "", "restart": "restarts the job", "data-loss": "can lose data", "admin": "needs admin rights"}
_COSTS = {"seconds": "takes seconds", "minutes": "takes minutes", "hours": "takes hours", "drain": "empty the node first"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One step, sentence or source under a heading."""

    text: str = ""
    code: str = ""
    """A command or lines that are kept as they are."""
    read: str = ""
    """How to read what the command shows."""
    aside: str = ""
    """What it risks, costs or applies to."""
    language: str = "sh"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with its items."""

    heading: str
    items: tuple[Item, ...]
    style: str = "list"
    """`prose`, `list` or `steps`."""


def entry_sections(entry: Entry) -> list[Section]:
    """A catalogue page under its fixed headings; those without content are left out."""
    told = [
        Section(heading="What it is", items=_identity(entry), style="list"),
        Section(heading="Cause", items=(_said(entry.cause),), style="prose"),
        Section(heading="Mechanism", items=(_said(entry.mechanism),), style="prose"),
        Section(heading="Symptoms", items=tuple(Item(text=_open(s.see), read=_open(s.because)) for s in entry.symptoms)),
        Section(heading="Affects", items=_each(entry.affects)),
        Section(heading="Confirm", items=tuple(_check(c) for c in entry.confirm), style="steps"),
        Section(heading="Fix", items=tuple(_fix(f) for f in entry.fix), style="steps"),
        Section(heading="Verify", items=tuple(_check(c) for c in entry.verify), style="steps"),
        Section(heading="Prevent", items=_each(entry.prevent)),
        Section(heading="Monitor", items=tuple(_monitor(m) for m in entry.monitor)),
        Section(heading="Snippets", items=tuple(Item(text=s.stack, code=s.code, language="") for s in entry.snippets)),
        Section(
            heading="References", items=tuple(Item(text=f"{_open(r.says)}: {r.url}", aside=f"seen {r.seen}") for r in entry.references)
        ),
        Section(heading="Related", items=_each(entry.related)),
        Section(heading="Notes", items=_notes(entry)),
    ]
    return [section for section in told if section.items]


def row_sections(row: TableRow) -> list[Section]:
    """A table row under its headings."""
    about = f"{_KINDS.get(row.kind, row.kind)}; whose turn: {TURNS.get(row.owner, row.owner)}"
    printed = _each(text for text in row.strings if text != row.name)
    told = [
        Section(heading="What it is", items=(Item(text=row.meaning, aside=about),), style="prose"),
        Section(heading="Do", items=_each((row.action,)), style="prose"),
        Section(heading="Printed as", items=printed),
        Section(heading="Also called", items=_each(("; ".join(row.aliases),)), style="prose"),
        Section(heading="Applies to", items=_each((row.applies_to.replace(";", ", "),)), style="prose"),
        Section(heading="Related", items=_each((", ".join(row.related),)), style="prose"),
        Section(heading="Source", items=_each((row.source,)), style="prose"),
    ]
    return [section for section in told if section.items]


def row_title(row: TableRow) -> str:
    """How a row is called: `xid 79: ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS`."""
    code = written(row.table, row.code)
    return code if row.name == row.code else f"{code}: {row.name}"


def entry_status(entry: Entry) -> str:
    """Id, severity, kind and owner in one line."""
    return f"{entry.id} · {entry.severity} · {_KINDS[entry.kind]} · whose turn: {TURNS[entry.owner]}"


def plain(value: object) -> Any:
    """A catalogue page as mappings and lists, with the field names of a catalogue file."""
    if is_dataclass(value) and not isinstance(value, type):
        pairs = ((YAML_NAMES.get(f.name, f.name), getattr(value, f.name)) for f in fields(value))
        return {name: plain(v) for name, v in pairs if v is not None}
    if isinstance(value, tuple):
        return [plain(v) for v in cast("tuple[object, ...]", value)]
    return value


def _identity(entry: Entry) -> tuple[Item, ...]:
    known = (
        ("Codes", ", ".join(entry.codes)),
        ("Also called", ", ".join(entry.aliases)),
        ("Explains", ", ".join(entry.explains)),
    )
    return (Item(text=entry_status(entry)), *(Item(text=f"{name}: {value}") for name, value in known if value))


def _said(text: str) -> Item:
    return Item(text=_open(text))


def _each(texts: Iterable[str]) -> tuple[Item, ...]:
    return tuple(_said(text) for text in texts if text)


def _open(text: str) -> str:
    """Text with `<NAME>` where a log would give the value."""
    return command(" ".join(text.split()), {})


def _check(check: Check) -> Item:
    return Item(
        text=_open(check.do or ""), code=command(check.run or "", {}).strip(), read=_open(check.read), aside=_COSTS.get(check.cost, "")
    )


def _fix(fix: Fix) -> Item:
    asides = (_RISKS.get(fix.risk, ""), f"costs: {_open(fix.costs)}" if fix.costs else "", _edit(fix.edit))
    return Item(text=_open(fix.do), code=command(fix.run or "", {}).strip(), aside="; ".join(a for a in asides if a))


def _edit(edit: Edit | None) -> str:
    if edit and edit.set_keyword:
        return f"sets {edit.set_keyword.keyword}={edit.set_keyword.value} in {edit.set_keyword.call}(...)"
    if edit and edit.set_env:
        return f"sets {edit.set_env.name}={edit.set_env.value}"
    if edit and edit.wrap_argument:
        return f"converts an argument of {edit.wrap_argument.call.split('|')[0]}(...)"
    if edit and edit.replace_method:
        return f"calls .{edit.replace_method.by}() instead of .{edit.replace_method.call}()"
    return ""


def _monitor(monitor: Monitor) -> Item:
    return Item(
        text=f"{monitor.metric} ({monitor.source})", code=(monitor.promql or "").strip(), read=_open(monitor.alert or ""), language="promql"
    )


def _notes(entry: Entry) -> tuple[Item, ...]:
    readers = (("On call", entry.notes.on_call), ("Engineer", entry.notes.engineer), ("Manager", entry.notes.manager))
    return tuple(Item(text=f"{reader}: {_open(text)}") for reader, text in readers)
