"""Minimal edits of a Python file at the calls that an entry names. An edit is proposed only where the edited file parses, and
parses to the same program apart from the change."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping
from typing import cast

from firstfault.advise.change import Change, Proposal, applied
from firstfault.advise.python_calls import PythonFile, argument, calls, covers, may_hide, parse, parse_module

MOST_PROPOSALS = 5
MOST_CALLS = 20
"""Calls that are tried: each costs a second parse of the file."""


def python_edits(edit: Mapping[str, str], text: str, line: int | None) -> list[Proposal]:
    """Proposals for a Python file, best first; `line` is the line that the traceback names."""
    file = parse(text)
    if file is None:
        return []
    maker = _MAKERS.get(edit["kind"])
    if maker is None:
        return []
    # Conversions are right only for the value that failed; an argument may be missing in a call far from the line that failed.
    only_here = edit["kind"] != "set-keyword"
    found = [pair for pair in calls(file, edit["call"]) if not only_here or (line is not None and covers(pair[0], line))]
    found.sort(key=lambda pair: line is None or not covers(pair[0], line))
    out: list[Proposal] = []
    for call, name in found[:MOST_CALLS]:
        exact = line is not None and covers(call, line)
        if out and out[0].exact and not exact:
            break
        proposal = maker(file, call, {**edit, "call": name}, exact)
        if proposal is not None:
            out.append(proposal)
        if len(out) == MOST_PROPOSALS:
            break
    return out


def _set_keyword(file: PythonFile, call: ast.Call, edit: Mapping[str, str], exact: bool) -> Proposal | None:
    keyword, value = edit["keyword"], edit["value"]
    position = int(edit["position"]) if edit.get("position") else None
    now = argument(call, keyword, position)
    if now is not None:
        if _same(now, value):
            return None
        changes = (Change(file.start(now), file.end(now), value),)
        title = f"Change {keyword}={_brief(file.source(now))} to {value} in {edit['call']}(...)"
        by_position = all(k.arg != keyword for k in call.keywords)
        return _checked(file, call, changes, lambda c: _replace(c, keyword, position if by_position else None, value), title, exact)
    if may_hide(call, position) or _is_generator(file, call):
        return None
    changes = _insertion(file, call, f"{keyword}={value}")
    title = f"Set {keyword}={value} in {edit['call']}(...)"
    return _checked(file, call, changes, lambda c: c.keywords.append(_keyword(keyword, value)), title, exact)


def _wrap_argument(file: PythonFile, call: ast.Call, edit: Mapping[str, str], exact: bool) -> Proposal | None:
    position = int(edit["position"])
    now = argument(call, edit.get("keyword", ""), position)
    if now is None:
        return None
    before, after = edit["template"].split("{}", 1)
    source = file.source(now)
    if source.startswith(before) and source.endswith(after):
        return None
    fits = isinstance(now, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) or bool(before and before.endswith("("))
    wrapped = f"{before}{source}{after}" if fits else f"{before}({source}){after}"
    changes = (Change(file.start(now), file.end(now), wrapped),)
    by_position = all(k.arg != edit.get("keyword") for k in call.keywords)
    title = f"Convert {_brief(source)} to {_brief(wrapped)} in {edit['call']}(...)"
    return _checked(
        file, call, changes, lambda c: _replace(c, edit.get("keyword", ""), position if by_position else None, wrapped), title, exact
    )


def _replace_method(file: PythonFile, call: ast.Call, edit: Mapping[str, str], exact: bool) -> Proposal | None:
    function = call.func
    by = edit["by"]
    if not isinstance(function, ast.Attribute) or file.text[file.start(call) : file.end(function)].endswith("." + by):
        return None
    end = file.end(function)
    changes = (Change(end - len(function.attr), end, by),)
    title = f"Call .{by}(...) instead of .{function.attr}(...)"

    def edited(target: ast.Call) -> None:
        receiver = ast.unparse(target.func.value) if isinstance(target.func, ast.Attribute) else ""
        target.func = ast.parse(f"({receiver}).{by}", mode="eval").body

    return _checked(file, call, changes, edited, title, exact)


_MAKERS: dict[str, Callable[[PythonFile, ast.Call, Mapping[str, str], bool], Proposal | None]] = {
    "set-keyword": _set_keyword,
    "wrap-argument": _wrap_argument,
    "replace-method": _replace_method,
}


# --- where a new argument goes ----------------------------------------------------------------------------------------


def _insertion(file: PythonFile, call: ast.Call, text: str) -> tuple[Change, ...]:
    close = file.end(call) - 1
    values: list[ast.expr] = [*call.args, *(k.value for k in call.keywords)]
    if not values:
        return (Change(close, close, text),)
    last = max(values, key=file.end)
    first_of_last = next((k for k in call.keywords if k.value is last), last)
    anchor, comma = _after(file.text, file.end(last), close)
    places = file.places
    line = places.line_of(file.start(first_of_last))
    own_line = not file.text[places.line_start(line) : file.start(first_of_last)].strip()
    if not own_line:
        return (Change(anchor, anchor, f" {text}," if comma else f", {text}"),)
    tail = f"{places.newline}{places.indent(line)}{text}{',' if comma else ''}"
    here = places.line_of(anchor)
    if here == places.line_of(close):
        return (Change(anchor, anchor, tail if comma else "," + tail),)
    line_end = places.line_end(here)
    if comma or line_end == anchor:
        return (Change(line_end, line_end, tail if comma else "," + tail),)
    return (Change(anchor, anchor, ","), Change(line_end, line_end, tail))


def _after(text: str, start: int, close: int) -> tuple[int, bool]:
    """Offset behind the last argument with its own closing brackets and its comma, and whether there is a comma."""
    anchor, comma, at = start, False, start
    while at < close:
        if text[at] == "#":
            while at < close and text[at] not in "\r\n":
                at += 1
            continue
        if text[at] in "),":
            anchor, comma = at + 1, text[at] == ","
        at += 1
    return anchor, comma


def _is_generator(file: PythonFile, call: ast.Call) -> bool:
    """A lone generator without brackets of its own cannot stand beside another argument."""
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], ast.GeneratorExp):
        return False
    return file.end(call.args[0]) == file.end(call)


# --- the proof --------------------------------------------------------------------------------------------------------


def _checked(
    file: PythonFile, call: ast.Call, changes: tuple[Change, ...], edited: Callable[[ast.Call], None], title: str, exact: bool
) -> Proposal | None:
    """The proposal, if the changed text is the same program with just that change."""
    after = parse_module(applied(file.text, changes))
    if after is None:
        return None
    expected = copy.deepcopy(call)
    edited(expected)
    if not _alike(file.tree, after, call, expected):
        return None
    return Proposal(title=title, line=call.lineno, changes=changes, exact=exact)


def _alike(before: ast.AST, after: ast.AST, call: ast.Call, expected: ast.Call) -> bool:
    """Whether two programs are the same but for one call, which is the expected one."""
    pairs: list[tuple[object, object]] = [(before, after)]
    while pairs:
        one, other = pairs.pop()
        if one is call:
            one = expected
        if type(one) is not type(other):
            return False
        if isinstance(one, ast.AST):
            pairs.extend((getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
        elif isinstance(one, list):
            ours, theirs = cast("list[object]", one), cast("list[object]", other)
            if len(ours) != len(theirs):
                return False
            pairs.extend(zip(ours, theirs, strict=True))
        elif one != other:
            return False
    return True


def _replace(call: ast.Call, keyword: str, position: int | None, value: str) -> None:
    new = ast.parse(value, mode="eval").body
    if position is not None:
        call.args[position] = new
        return
    for item in call.keywords:
        if item.arg == keyword:
            item.value = new


def _keyword(keyword: str, value: str) -> ast.keyword:
    return ast.keyword(arg=keyword, value=ast.parse(value, mode="eval").body)


def _same(node: ast.expr, value: str) -> bool:
    return ast.dump(node) == ast.dump(ast.parse(value, mode="eval").body)


def _brief(source: str) -> str:
    flat = " ".join(source.split())
    return flat if len(flat) <= 40 else flat[:39] + "…"
