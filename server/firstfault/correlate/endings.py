"""How a source ends: well, or not."""

from __future__ import annotations

from firstfault.lazy import Lazy
from firstfault.model import SourceScan

_GOOD_END = Lazy(
    r"(?i)\bexit(?:ed)?(?: with)?(?: status| code)?[ :=]*0\b|\b(?:succe(?:ss|eded)\w*|completed(?! with errors)|training complete|finished|done|(?:tests?|checks?) passed|passed|cleanly|"
    r"saved|bye|fail(?:ed|ures?)?[ :=]+0)\b|(?:^|[,;:(.] ?|\b(?:with|and) )0 (?:errors|failed|failures)\b(?! to\b)|^OK\b"
)
_BAD_END = Lazy(
    r"(?i)\b(?:(?<![,;:.] 0 )(?<!^0 )failed(?! *[:=]? *0\b)|exit(?:ed)?(?: with)?(?: status| code)?[ :=]*-?[1-9]\d*|killed|aborted|terminated|fatal)\b"
)


def ends_well(scan: SourceScan, after: int = 0) -> bool:
    """Whether the last lines of a source, those behind line `after`, say that all went well."""
    last = [text for number, text in scan.ending[-6:] if number > after]
    return any(_GOOD_END.search(text) for text in last) and not any(_BAD_END.search(text) for text in last[-4:])
