"""Finds secrets in text: tokens by their form, values by the name that stands before them."""

from __future__ import annotations

import re

MASK = "<token>"

_FORMS = re.compile(
    r"""
    -----BEGIN\ [A-Z0-9 ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z0-9 ]*PRIVATE\ KEY-----|\Z)
    | (?<![A-Za-z0-9])(?:
        hf_[A-Za-z0-9]{16,}
      | sk-[A-Za-z0-9][A-Za-z0-9_-]{15,}
      | gh[pousr]_[A-Za-z0-9]{16,}
      | github_pat_[A-Za-z0-9_]{20,}
      | glpat-[A-Za-z0-9_-]{16,}
      | (?:AKIA|ASIA)[A-Z0-9]{12,}
      | AIza[A-Za-z0-9_-]{30,}
      | ya29\.[A-Za-z0-9_.-]{20,}
      | xox[abeprs]-[A-Za-z0-9-]{10,}
      | nvapi-[A-Za-z0-9_-]{16,}
      | npm_[A-Za-z0-9]{30,}
      | pypi-[A-Za-z0-9_-]{40,}
      | eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_WEBHOOK = re.compile(r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]+")
_SCHEME = re.compile(r"(?i)\b(bearer|basic)(\s+)(?![<\s])([A-Za-z0-9+/=._~-]{6,})")
_IN_URL = re.compile(r"(?<=://)[^/\s@<>\"']+(?=@)")
_QUERY = re.compile(r"(?i)(?<=[?&])((?:sig|signature|token|key|code|[a-z_-]*access_token|x-(?:amz|goog)-[a-z-]+)=)([^&\s\"'<>]+)")
_NAMED = re.compile(
    r"""
    (?<![A-Za-z0-9])
    (?P<name>
      (?:[A-Za-z0-9]+[_.-])*
      (?:
          password | passwd | passphrase | pwd | secret | credentials? | authorization
        | (?:api|access|secret|private|account|encryption)[_-]?key(?:[_-]?id)?
        | (?:access|auth|hf|hub|api|bearer|refresh|session|security|github|gitlab|wandb|id|csrf|private|personal|secret|registry)[_-]?token
      )
    )
    (?P<joint>["']?\s*[=:]\s*["']?)
    (?P<value>(?<=["'])[^"'\n<>]+(?=["'])|[^\s"',;&)\]}<>][^\s"',;&)\]}]*)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A model's vocabulary has tokens too: pad_token, EOS_TOKEN, --image-token are no secrets.
_VOCABULARY = r"(?!(?:[a-z]+[_-])*(?:pad|eos|bos|unk|sep|cls|mask|image|video|audio|stop|start|end|special|next|per)[_-])"
_VARIABLE = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<name>(?i:{_VOCABULARY})(?:[A-Z0-9]+_)*TOKEN)(?P<joint>\s*=\s*[\"']?)(?P<value>[^\s\"',;&)<>]+)"
)
_FLAG = re.compile(
    rf"(?<!\S)(?P<name>--(?i:{_VOCABULARY})(?:[a-z]+[_-])*(?:token|password|passwd|secret|(?:api|access|secret|private)[_-]?key))"
    r"(?P<joint>\s+|=)[\"']?(?P<value>(?!-)[^\s\"'<>]+)"
)
_LOGIN = re.compile(r"(?P<name>\bwandb login)(?P<joint>\s+)(?P<value>[0-9a-f]{20,})")
_BARE = re.compile(
    r"(?i)(?<![A-Za-z0-9_-])(?P<name>token)(?P<joint>[\"']?\s*[=:]\s*[\"']?)(?P<value>(?=[A-Za-z_.-]*\d)(?=[\d_.-]*[A-Za-z])[\w.-]{16,})"
)
# "Renew the credentials: log in again" holds no secret.
_HEADING = re.compile(r"(?i)(?:credentials?|secret|authorization)\Z")
_NO_VALUE = frozenset(
    {
        *("none", "null", "nil", "true", "false", "str", "string", "bytes", "bearer", "basic", "digest", "***"),
        *("not", "no", "the", "a", "an", "is", "was", "must", "should", "has"),
        *("missing", "required", "invalid", "unset", "undefined", "empty", "optional"),
    }
)


def mask_secrets(text: str) -> str:
    """The text with every secret replaced by `<token>`."""
    text = _FORMS.sub(MASK, text)
    text = _WEBHOOK.sub(MASK, text)
    text = _SCHEME.sub(rf"\1\2{MASK}", text)
    text = _IN_URL.sub(MASK, text)
    text = _QUERY.sub(rf"\1{MASK}", text)
    for pattern in (_NAMED, _VARIABLE, _FLAG, _LOGIN, _BARE):
        text = pattern.sub(_masked_value, text)
    return text


def _masked_value(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"]
    is_folder = name.lower().endswith("pwd") and value.startswith(("/", "~"))
    is_prose = _HEADING.search(name) and match["joint"] == ": " and value.isalpha() and len(value) < 16
    if is_folder or is_prose or value.lower().rstrip(".:") in _NO_VALUE:
        return match[0]
    return match[0][: match.start("value") - match.start()] + MASK + match[0][match.end("value") - match.start() :]
