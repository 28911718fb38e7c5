"""The parts of a compiled page that advice needs, as the JSON gives them.

The compiler has checked every page against `Entry`; reading it as plain mappings spares a short run the cost of building those
classes.
"""

from __future__ import annotations

from typing import TypedDict


class EditPage(TypedDict):
    """A change that an editor may offer; each is a mapping of plain texts, and all but one are absent."""

    set_keyword: dict[str, str | None] | None
    set_env: dict[str, str | None] | None
    wrap_argument: dict[str, str | None] | None
    replace_method: dict[str, str | None] | None


class FixPage(TypedDict):
    """One way out."""

    do: str
    run: str | None
    kind: str
    risk: str
    costs: str | None
    edit: EditPage | None


class CheckPage(TypedDict):
    """One look."""

    do: str | None
    run: str | None
    read: str
    cost: str


class MissingPage(TypedDict):
    """A fact that would settle a likely cause."""

    fact: str
    run: str | None
    would_show: str


class ReferencePage(TypedDict):
    """An authoritative source."""

    url: str
    says: str
    seen: str


class Page(TypedDict):
    """One entry, as far as a report needs it."""

    id: str
    title: str
    severity: str
    owner: str
    cause: str
    fix: list[FixPage]
    verify: list[CheckPage]
    confirm: list[CheckPage]
    prevent: list[str]
    missing: list[MissingPage]
    references: list[ReferencePage]
