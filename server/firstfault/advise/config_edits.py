"""Sets an environment variable in a YAML or JSON file that gives one to a run: a pod, a compose service, a launch configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from firstfault.advise.change import Change, Proposal, TextPlaces, applied

_NAMES = frozenset(("env", "environment", "env_vars", "envs", "environment_variables"))
MOST_PROPOSALS = 5
LONGEST_FILE = 512 * 1024


@dataclass(frozen=True, slots=True)
class _Node:
    """A part of the file: a scalar has text, a list items, a mapping pairs."""

    start: int
    end: int
    line: int
    column: int
    text: str | None = None
    items: tuple[_Node, ...] | None = None
    pairs: tuple[tuple[_Node, _Node], ...] | None = None
    flow: bool = False

    @property
    def by_key(self) -> dict[str, _Node]:
        """Values of a mapping by their keys."""
        return {key.text or "": value for key, value in self.pairs or ()}


def config_edits(text: str, name: str, value: str, *, as_json: bool) -> list[Proposal]:
    """Proposals for every place in the file that gives environment variables; none where the file does not parse."""
    out: list[Proposal] = []
    for node in _environments_in(text, as_json):
        proposal = _proposal(text, node, name, value, as_json)
        if proposal is None:
            continue
        after = applied(text, proposal.changes)
        if any((given := _given(n, name)) and (given[0].text or "") == given[1] + value for n in _environments_in(after, as_json)):
            out.append(proposal)
    return out[:MOST_PROPOSALS]


def _environments_in(text: str, as_json: bool) -> list[_Node]:
    import yaml

    if len(text) > LONGEST_FILE or text.startswith("\ufeff"):
        return []
    try:
        # YAML forbids the tabs that JSON allows between its parts.
        roots: list[Any] = list(cast("Any", yaml).compose_all(text.replace("\t", " ") if as_json else text, Loader=yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return []
    return [env for root in roots if root is not None for env in _environments(_node(root))]


def _node(given: Any) -> _Node:
    start, end = given.start_mark, given.end_mark
    place = (int(start.index), int(end.index), int(start.line), int(start.column))
    if given.id == "mapping":
        return _Node(*place, pairs=tuple((_node(k), _node(v)) for k, v in given.value), flow=bool(given.flow_style))
    if given.id == "sequence":
        return _Node(*place, items=tuple(_node(item) for item in given.value), flow=bool(given.flow_style))
    return _Node(*place, text=str(given.value))


def _environments(node: _Node) -> Iterator[_Node]:
    for key, value in node.pairs or ():
        if key.text in _NAMES and _is_environment(value):
            yield value
        else:
            yield from _environments(value)
    for item in node.items or ():
        yield from _environments(item)


def _is_environment(node: _Node) -> bool:
    if node.pairs:
        return all(value.text is not None for _, value in node.pairs)
    if not node.items:
        return False
    return all("name" in item.by_key for item in node.items) or all("=" in (item.text or "") for item in node.items)


def _proposal(text: str, node: _Node, name: str, value: str, as_json: bool) -> Proposal | None:
    given = _given(node, name)
    if given is not None:
        now, prefix = given
        if now.text == prefix + value:
            return None
        quoted = not prefix or text[now.start] in "'\""
        change = Change(now.start, now.end, json.dumps(prefix + value) if quoted else prefix + value)
        return Proposal(title=f"Change {name} to {value}", line=now.line + 1, changes=(change,), exact=True)
    change = _added(text, node, name, value, as_json)
    return Proposal(title=f"Add {name}={value}", line=TextPlaces(text).line_of(change.start), changes=(change,), exact=False)


def _given(node: _Node, name: str) -> tuple[_Node, str] | None:
    """The value that is given now, with what stands before it in the same scalar."""
    if node.pairs:
        now = node.by_key.get(name)
        return (now, "") if now else None
    for item in node.items or ():
        if (item.text or "").startswith(name + "="):
            return item, name + "="
        fields = item.by_key
        if "name" in fields and fields["name"].text == name and "value" in fields:
            return fields["value"], ""
    return None


def _added(text: str, node: _Node, name: str, value: str, as_json: bool) -> Change:
    places = TextPlaces(text)
    parts = [part for pair in node.pairs for part in pair] if node.pairs else list(node.items or ())
    first, last = parts[0], parts[-1]
    if node.flow or as_json:
        entry = _flow_entry(node, name, value)
        lead = text[places.line_start(first.line + 1) : first.start]
        own_line = not lead.strip() and first.line != node.line
        return Change(last.end, last.end, f",{places.newline}{lead}{entry}" if own_line else f", {entry}")
    end = len(text[: last.end].rstrip())
    line_end = places.line_end(places.line_of(max(end - 1, 0)))
    margin = " " * (first.column if node.pairs else node.column)
    entry = _block_entry(node, name, value, places.newline, " " * first.column)
    return Change(line_end, line_end, f"{places.newline}{margin}{entry}")


def _flow_entry(node: _Node, name: str, value: str) -> str:
    if node.pairs:
        return f"{json.dumps(name)}: {json.dumps(value)}"
    if node.items and node.items[0].text is not None:
        return json.dumps(f"{name}={value}")
    return f'{{"name": "{name}", "value": {json.dumps(value)}}}'


def _block_entry(node: _Node, name: str, value: str, newline: str, margin: str) -> str:
    if node.pairs:
        return f"{name}: {json.dumps(value)}"
    if node.items and node.items[0].text is not None:
        return f"- {name}={value}"
    return f"- name: {name}{newline}{margin}value: {json.dumps(value)}"
