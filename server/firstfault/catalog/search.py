"""Ranks catalogue entries by the words of a question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firstfault.catalog.compiled import Subject

_WORD = re.compile(r"[\w/]+")
_IDLE = frozenset(
    ("a", "an", "and", "at", "by", "error", "failed", "for", "from", "in", "is", "my", "of", "on", "the", "to", "was", "what", "with")
)
_TITLE, _ALIAS, _ID, _CAUSE = 6.0, 6.0, 4.0, 1.0
_WHOLE, _BEGINS, _INFLECTED, _WITHIN = 1.0, 0.8, 0.6, 0.4
_PHRASE = 6.0
_LEAST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that answers a question, and how well."""

    id: str
    title: str
    score: float


def ranked(subjects: Iterable[Subject], question: str, *, whole: bool = False) -> list[Match]:
    """Entries that hold all words of the question, best first; where there is none, and not `whole`, those that hold half of them."""
    words = words_of(question)
    if not words:
        return []
    phrase = " ".join(words)
    full: list[Match] = []
    partly: list[Match] = []
    for subject in subjects:
        fields = _fields(subject)
        scores = [_best(word, fields) for word in words]
        share = sum(score > 0 for score in scores) / len(words)
        if share < _LEAST_SHARE:
            continue
        bonus = _PHRASE if any(phrase in text for text, weight in fields if weight > _CAUSE) else 0.0
        match = Match(subject.id, subject.title, round(sum(scores) * share + bonus, 3))
        (full if share == 1 else partly).append(match)
    return sorted(full if full or whole else partly, key=lambda m: (-m.score, m.id))


def words_of(question: str) -> list[str]:
    """The words of a question that say something, in lower case."""
    every = [w for w in _WORD.findall(question.lower().replace("_", " ").replace("-", " ")) if w]
    return [w for w in every if w not in _IDLE] or every


def _fields(subject: Subject) -> list[tuple[str, float]]:
    plain = subject.id.replace("-", " ").replace("/", " ")
    aliases = [(alias.lower().replace("_", " ").replace("-", " "), _ALIAS) for alias in subject.aliases]
    return [(subject.title.lower().replace("-", " "), _TITLE), *aliases, (plain, _ID), (subject.cause.lower(), _CAUSE)]


def _best(word: str, fields: Sequence[tuple[str, float]]) -> float:
    return max(weight * _closeness(word, text) for text, weight in fields)


def _closeness(word: str, text: str) -> float:
    found = _WORD.findall(text)
    if word in found or f"{word}s" in found or (word.endswith("s") and word[:-1] in found):
        return _WHOLE
    if len(word) >= 3 and any(other.startswith(word) for other in found):
        return _BEGINS
    if len(word) >= 4 and word in text:
        return _WITHIN
    return _INFLECTED if any(_inflected(word, other) for other in found) else 0.0


def _inflected(word: str, other: str) -> bool:
    """Whether a word is another with an ending: `remapping` and `remap`."""
    return len(other) >= 4 and word.startswith(other) and word[len(other) :].endswith(("ing", "ed", "es", "er"))
