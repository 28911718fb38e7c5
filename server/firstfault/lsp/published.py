"""Diagnostics that the server sends unasked: several parts of it may have something to say about one document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lsprotocol import types

Owner = tuple[str, str]
"""Who says it: the kind of part, and the document or run that it speaks of."""


class Published:
    """What was sent, by owner; a document gets what all owners say of it."""

    def __init__(self, send: Callable[[types.PublishDiagnosticsParams], None]) -> None:
        self._send = send
        self._said: dict[Owner, Mapping[str, Sequence[types.Diagnostic]]] = {}

    def say(self, owner: Owner, said: Mapping[str, Sequence[types.Diagnostic]], version: int | None = None) -> None:
        """All that an owner has to say now; what it said before is taken back. `version` is that of the owner's document."""
        before = self._said.pop(owner, {})
        if said:
            self._said[owner] = said
        for uri in dict.fromkeys([*said, *before]):
            if uri not in before or before[uri] != said.get(uri) or version is not None:
                self._send(types.PublishDiagnosticsParams(uri, self._all(uri), version if uri == owner[1] else None))

    def withdraw(self, kind: str, uri: str) -> None:
        """Take back what owners of a kind say of one document."""
        for owner, said in list(self._said.items()):
            if owner[0] == kind and uri in said:
                self.say(owner, {u: d for u, d in said.items() if u != uri})

    def _all(self, uri: str) -> list[types.Diagnostic]:
        return [d for said in self._said.values() for d in said.get(uri, ())]
