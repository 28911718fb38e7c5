"""Makes a report fit to be shown to others: secrets, people, hosts and addresses become placeholders."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from firstfault.privacy.secrets import mask_secrets
from firstfault.report import Report

T = TypeVar("T")

# Fields that hold our own words or public knowledge, never a word of the log.
_OURS = frozenset(
    {
        *("schema", "tool", "verdict", "signature", "category", "severity", "status", "named_by", "owner"),
        *("role", "kind", "taken_as", "risk", "references", "encoding", "layout", "launcher"),
    }
)
_LOCAL_HOSTS = frozenset({"localhost", "localhost.localdomain", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback"})
_HOME = re.compile(
    r"(?i)(?P<before>(?:[a-z]:[\\/]{1,2}users|/(?:home|users))[\\/]{1,2})(?P<name>[^\\/\s\"'<>|:;,()\[\]]+(?:\ [^\\/\s\"'<>|:;,]+(?=\\))?)"
)
_USER_SET = re.compile(r"\b(?:(?:USER|LOGNAME|USERNAME|user|username)=|UserId=)[\"']?(?P<name>[A-Za-z_][\w.-]*)")
_EMAIL = re.compile(r"(?<![\w.+-])(?P<name>[\w.+-]+)@(?P<domain>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})(?![\w-])")
_AT_HOST = re.compile(r"(?<![\w.+-])(?P<name>[A-Za-z_][\w.-]*)@(?=<host-\d+>|<ip-\d+>)")
_NAME = r"(?P<name>[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*)"
_TELLING = r"(?P<name>(?=[A-Za-z0-9.]*[0-9.-])[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9-]+)*)"
_HOST_PLACES = (
    re.compile(rf"\b(?:tcp|gloo|ws)://{_NAME}(?=[:/])"),
    re.compile(rf"(?i)\b(?:master_addr|rdzv[_-]endpoint)[\"']?\s*[=:]\s*[\"']?{_NAME}"),
    re.compile(rf"(?i)(?<!\S)--(?:master[_-]addr|rdzv[_-]endpoint)\s+{_NAME}"),
    re.compile(rf"(?i)\b(?:hostname|nodename|nodelist|node|host)[\"']?\s*[=:]\s*[\"']?{_TELLING}"),
    re.compile(rf"\[{_NAME}\]:\d{{2,5}}\b"),
    re.compile(rf"\bssh\s+(?:[\w.-]+@)?{_TELLING}"),
    re.compile(r"\b(?P<name>ip-\d{1,3}(?:-\d{1,3}){3}(?:\.[a-z0-9-]+)*)"),
)
_DOMAIN = r"(?:(?:\.[A-Za-z0-9-]+)*\.(?:com|net|org|edu|gov|io|ai|cloud|internal|local|lan|corp|intra|cluster|svc))?"
# Four numbers after == or a dash are a version: nvidia-cublas-cu12==12.1.3.1.
_IPV4 = re.compile(r"(?<![\w.-])(?<![=<>~!]=)(?:\d{1,3}\.){3}\d{1,3}(?![\w-])(?!\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])")


def redact(report: Report) -> Report:
    """The same report with placeholders for all that names a person, a machine or a secret; equal things get equal placeholders."""
    texts = list(_texts(report))
    hosts = [*report.run.hosts, *(i.initiator.host for i in report.incidents if i.initiator.host)]
    hosts += [lane.host for lane in report.timeline.lanes if lane.host] if report.timeline else []
    return _rewritten(report, _Mask([*hosts, *_hosts_in(texts)], _users_in(texts)).text)


class _Mask:
    """Placeholders of one report; numbers count in the order of first sight."""

    def __init__(self, hosts: Iterable[str], users: Iterable[str]) -> None:
        self._numbers: dict[str, dict[str, int]] = {}
        self._hosts = list(dict.fromkeys(h.lower() for h in hosts if _is_private_name(h)))
        for host in self._hosts:
            self._host(host)
        self._host_pattern = _any_of([n for h in self._hosts for n in (h, _short(h)) if len(n) > 1])
        # In running text a name is only taken for a user where a path or an address has it.
        self._user_pattern = _users_pattern(users)

    def text(self, text: str) -> str:
        """The text with everything masked."""
        if text.lower() in self._hosts:
            return self._host(text)
        text = mask_secrets(text)
        text = _EMAIL.sub(self._email, text)
        text = _HOME.sub(lambda m: m["before"] + self._placeholder("user", m["name"]), text)
        text = _USER_SET.sub(lambda m: m[0][: m.start("name") - m.start()] + self._placeholder("user", m["name"]), text)
        if self._user_pattern:
            text = self._user_pattern.sub(lambda m: self._placeholder("user", m[0]), text)
        if self._host_pattern:
            text = self._host_pattern.sub(lambda m: self._host(m["host"]), text)
        text = _IPV4.sub(self._address, text)
        text = _IPV6.sub(self._address, text)
        return _AT_HOST.sub(lambda m: self._placeholder("user", m["name"]) + "@", text)

    def _host(self, name: str) -> str:
        return self._placeholder("host", _short(name))

    def _email(self, match: re.Match[str]) -> str:
        if self._host_pattern and self._host_pattern.fullmatch(match["domain"]):
            return f"{self._placeholder('user', match['name'])}@{self._host(match['domain'])}"
        return self._placeholder("email", match[0])

    def _address(self, match: re.Match[str]) -> str:
        try:
            address = ipaddress.ip_address(match[0])
        except ValueError:
            return match[0]
        if address.is_loopback or address.is_unspecified or match[0] == "255.255.255.255":
            return match[0]
        return self._placeholder("ip", str(address))

    def _placeholder(self, kind: str, value: str) -> str:
        numbers = self._numbers.setdefault(kind, {})
        return f"<{kind}-{numbers.setdefault(value.lower(), len(numbers) + 1)}>"


# --- names that the report gives away ---------------------------------------------------------------------------------


def _hosts_in(texts: Iterable[str]) -> list[str]:
    return [m["name"] for text in texts for pattern in _HOST_PLACES for m in pattern.finditer(text)]


def _users_in(texts: Iterable[str]) -> list[str]:
    return [m["name"] for text in texts for pattern in (_HOME, _USER_SET) for m in pattern.finditer(text)]


def _is_private_name(host: str) -> bool:
    if host.lower() in _LOCAL_HOSTS or host.startswith("<") or not re.search(r"[A-Za-z]", host):
        return False
    return not re.fullmatch(r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]*", host)


def _short(host: str) -> str:
    return host.lower().split(".", 1)[0]


def _any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    ordered = sorted(set(names), key=lambda n: (-len(n), n))
    if not ordered:
        return None
    return re.compile(rf"(?i)(?<![A-Za-z0-9])(?P<host>{'|'.join(map(re.escape, ordered))}){_DOMAIN}(?![A-Za-z0-9])")


def _users_pattern(users: Iterable[str]) -> re.Pattern[str] | None:
    ordered = sorted({u for u in users if len(u) > 1}, key=lambda n: (-len(n), n))
    if not ordered:
        return None
    names = "|".join(map(re.escape, ordered))
    return re.compile(rf"(?<=[/\\~])(?:{names})(?=[/\\\s\"':]|$)|(?<![\w.-])(?:{names})(?=@)")


# --- walking over plain data ------------------------------------------------------------------------------------------


def _texts(value: object) -> Iterator[str]:
    """Every text of a report that may hold words of the log."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in cast("Iterable[object]", value):
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from _texts(list(cast("dict[str, object]", value).values()))
    elif is_dataclass(value):
        for spec in fields(value):
            if spec.name not in _OURS:
                yield from _texts(getattr(value, spec.name))


def _rewritten(value: T, change: Callable[[str], str]) -> T:
    """The same structure with every such text changed."""
    done: Any = value
    if isinstance(value, str):
        done = change(value)
    elif isinstance(value, (list, tuple)):
        items = [_rewritten(item, change) for item in cast("Iterable[object]", value)]
        done = items if isinstance(value, list) else tuple(items)
    elif isinstance(value, dict):
        done = {k: v if k == "kind" else _rewritten(v, change) for k, v in cast("dict[str, object]", value).items()}
    elif is_dataclass(value) and not isinstance(value, type):
        done = replace(value, **{s.name: _rewritten(getattr(value, s.name), change) for s in fields(value) if s.name not in _OURS})
    return cast("T", done)
