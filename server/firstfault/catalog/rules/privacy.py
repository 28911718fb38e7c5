"""Rules for examples: short, and nobody's name, host, address or secret in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv4Address

from firstfault.catalog.library import Page
from firstfault.catalog.problem import Mistake, ValuePath

MOST_LINES = 12
_NEUTRAL_USERS = {"user", "username", "me", "you", "ubuntu", "app", "runner", "root", "jovyan", "ray", "dev"}
_HOME = re.compile(r"(?:/home|/Users|\\Users)[/\\](?P<name>[\w.-]+)")
_EMAIL = re.compile(r"[\w.+-]+@(?P<domain>[\w-]+(?:\.[\w-]+)*\.(?!(?:service|slice|scope|socket)\b)[a-z]{2,})")
_ADDRESS = re.compile(r"(?<![\w.=+-])(?:\d{1,3}\.){3}\d{1,3}(?![\w.+]|-\w)")
_HOST = re.compile(
    r"(?i)(?<![\w.@/-])(?!(?:node|host|worker)-?\d+\.)(?=[a-z.]*[\d-])(?:[a-z0-9][a-z0-9-]*\.)+(?:internal|local|lan|corp|intra|cluster|hpc)\b(?!\.\w)"
    r"|\bip-(?!10-0-)\d+-\d+-\d+-\d+\b"
)
_SITE = re.compile(r"(?i)(?<![\w.@/-])(?P<name>(?:[a-z0-9][a-z0-9-]*\.)+(?:com|net|edu|gov|org|io|ai))(?![\w./]*\.\w|\w)")
_PUBLIC_SITES = (
    "example.com", "example.org", "example.net", "huggingface.co", "pytorch.org", "github.com", "githubusercontent.com",
    "github.io", "nvidia.com", "pypi.org", "pythonhosted.org", "python.org", "amazonaws.com", "googleapis.com", "google.com",
    "anaconda.org", "anaconda.com", "wandb.ai", "docker.io", "docker.com", "quay.io", "ghcr.io", "gcr.io", "nvcr.io", "k8s.io",
    "kubernetes.io", "microsoft.com", "windows.net", "azure.com", "openai.com", "ubuntu.com", "tensorflow.org", "schedmd.com",
    "open-mpi.org", "ray.io", "readthedocs.io", "kernel.org", "lightning.ai",
)  # fmt: skip
_SECRETS = (
    re.compile(r"\bhf_[A-Za-z0-9]{20,}"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    re.compile(r"\bsk-[A-Za-z0-9_-]{20,}"),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    re.compile(r"\bxox[abprs]-[\w-]{10,}"),
    re.compile(r"\beyJ[\w-]{10,}\.[\w-]{10,}\."),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY"),
    re.compile(r"(?i)\b(?:password|passwd|secret|api[_-]?key|access[_-]?key|token)\s*[=:]\s*['\"]?(?!x{3})[A-Za-z0-9+/_-]{16,}"),
)


def check_examples(page: Page) -> Iterator[Mistake]:
    """There are enough examples, each short and free of private data."""
    examples = page.entry.examples
    if len(examples.match) < 2:
        yield Mistake(("examples", "match"), "one match example is not enough; give two, of different versions or programs")
    if not examples.near_miss:
        yield Mistake(("examples", "near_miss"), "a near miss is missing: a line that looks alike and is no such failure")
    places: list[tuple[ValuePath, str]] = [(("examples", "match", n, "log"), e.log) for n, e in enumerate(examples.match)]
    places += [(("examples", "near_miss", n, "log"), e.log) for n, e in enumerate(examples.near_miss)]
    for where, log in places:
        lines = len(log.rstrip("\n").split("\n"))
        if lines > MOST_LINES:
            yield Mistake(where, f"the example has {lines} lines, {MOST_LINES} are the most; a longer log belongs under tests/cases/")
        for what in private(log):
            yield Mistake(where, f"the example holds {what}; put a neutral one there (node1, 10.0.0.1, /workspace)")


def private(text: str) -> Iterator[str]:
    """What in a text seems to be somebody's, each in a few words."""
    for match in _HOME.finditer(text):
        if match["name"].lower() not in _NEUTRAL_USERS:
            yield f"a user name ({match[0]})"
    for match in _EMAIL.finditer(text):
        if not _listed(match["domain"]) and not match[0].startswith("git@"):
            yield f"an e-mail address ({match[0]})"
    for match in _ADDRESS.finditer(text):
        if _is_public(match[0]):
            yield f"a public address ({match[0]})"
    for match in _HOST.finditer(text):
        yield f"a host name ({match[0]})"
    for match in _SITE.finditer(text):
        if not _listed(match["name"]):
            yield f"a host name ({match[0]})"
    for secret in _SECRETS:
        match = secret.search(text)
        if match:
            yield f"a token ({match[0][:8]}…)"


def _listed(name: str) -> bool:
    return any(name.lower() == site or name.lower().endswith("." + site) for site in _PUBLIC_SITES)


def _is_public(text: str) -> bool:
    try:
        return IPv4Address(text).is_global
    except AddressValueError:
        return False
