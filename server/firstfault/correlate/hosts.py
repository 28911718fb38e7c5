"""Names of hosts: the same machine is called by its short name in one log and with its domain in another."""

from __future__ import annotations

from firstfault.lazy import Lazy

_ADDRESS = Lazy(r"\d{1,3}(?:\.\d{1,3}){3}$")


def short_host(host: str) -> str:
    """The name of a host without its domain; an address stays whole."""
    return host if ":" in host or _ADDRESS.match(host) else host.split(".", 1)[0]


def same_host(one: str | None, other: str | None) -> bool | None:
    """Whether two names stand for one machine; None where one is not known."""
    return short_host(one) == short_host(other) if one and other else None
