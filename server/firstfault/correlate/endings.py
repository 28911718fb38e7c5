"""How a source ends: well, or not."""

from __future__ import annotations

from firstfault.lazy import Lazy
from firstfault.model import SourceScan

_GOOD_END = Lazy(
    r"(?i)\bexit(?:ed)?(?: with)?(?: status| code)?[ :=]*0\b|\b(?:succe(?:ss(?!ful(?:Create|Delete|Attach))|eded)\w*|completed(?! with errors)|training complete|finished|done|(?:tests?|checks?) passed|passed|cleanly|"
    r"saved|bye|fail(?:ed|ures?)?[ :=]+0)\b|(?:^|[,;:(.] ?|\b(?:with|and) )0 (?:errors|failed|failures)\b(?! to\b)|^OK\b"
)
_BAD_END = Lazy(
    r"(?i)\b(?:(?<![,;:.] 0 )(?<!^0 )failed(?! *[:=]? *0\b)|exit(?:ed)?(?: with)?(?: status| code)?[ :=]*-?[1-9]\d*|killed|aborted|terminated|fatal)\b"
)
_ERROR = Lazy(r"(?i)^\W*(?:error|fatal|critical)\b")
"""An error may say what should have been `successfully built`."""


_LAST = 6
_LAST_BAD = 4
"""Lines in which a good end, and a bad one, is looked for."""


class End:
    """The last lines of a source, read once."""

    def __init__(self, scan: SourceScan) -> None:
        self._lines = [
            (number, bool(_GOOD_END.search(text)) and not _ERROR.match(text), bool(_BAD_END.search(text))) for number, text in scan.ending[-_LAST:]
        ]  # fmt: skip

    def well(self, after: int = 0) -> bool:
        """Whether the lines behind line `after` say that all went well."""
        last = [line for line in self._lines if line[0] > after]
        return any(good for _, good, _ in last) and not any(bad for _, _, bad in last[-_LAST_BAD:])


def ends_well(scan: SourceScan) -> bool:
    """Whether the last lines of a source say that all went well."""
    return End(scan).well()
