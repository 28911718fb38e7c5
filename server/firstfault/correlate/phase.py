"""What a process was doing when it fell silent, by its last ordinary line."""

from __future__ import annotations

from firstfault.lazy import Lazy
from firstfault.model import Progress

_PHASES: tuple[tuple[str, Lazy], ...] = (
    ("while it saved a checkpoint", Lazy(r"(?i)\b(?:sav(?:e|ing)|writ(?:e|ing)|dump(?:ing)?|upload(?:ing)?)\b.{0,60}\b(?:checkpoint|ckpt|state.?dict|model|shard)|checkpoint.{0,30}\bsav")),
    ("while it loaded a checkpoint", Lazy(r"(?i)\b(?:load(?:ing)?|restor(?:e|ing)|resum(?:e|ing))\b.{0,60}\b(?:checkpoint|ckpt|weights|state.?dict|model|shards?)")),
    ("during evaluation", Lazy(r"(?i)\b(?:eval(?:uat(?:e|ing|ion))?|validat(?:e|ing|ion)|generat(?:e|ing) samples)\b")),
    ("while it loaded data", Lazy(r"(?i)\b(?:data ?load(?:er|ing)?|dataset|fetch(?:ing)? batch|tokeniz(?:e|ing)|shuffl(?:e|ing)|prefetch)\b")),
    ("during compilation", Lazy(r"(?i)\b(?:compil(?:e|ing|ation)|autotun(?:e|ing)|captur(?:e|ing) (?:cuda )?graph|inductor|triton)\b")),
    ("at start-up", Lazy(r"(?i)\b(?:join(?:ing)?|init(?:ializ(?:e|ing))?|rendezvous|world size|starting|spawn(?:ed|ing)?|process group)\b")),
    ("at shutdown", Lazy(r"(?i)\b(?:destroy|shut ?down|clean ?up|exiting|finaliz(?:e|ing)|finished)\b")),
    ("in the training loop", Lazy(r"(?i)\b(?:step|iter(?:ation)?|epoch|batch|loss)\b")),
)  # fmt: skip


def phase_of(text: str) -> str | None:
    """Words for what a line says its process was doing, or None."""
    return next((words for words, pattern in _PHASES if pattern.search(text)), None)


def last_line(progress: Progress) -> str:
    """The last ordinary line of a process as a sentence, with what it was doing."""
    phase = phase_of(progress.text)
    doing = f", {phase}" if phase else ""
    return f"Its last line is {progress.source}:{progress.line}: “{progress.text.strip()[:100]}”{doing}."
