"""Small pieces of wording that several stages share."""

from __future__ import annotations

from collections.abc import Sequence


def ranges(numbers: Sequence[int]) -> str:
    """Numbers as ranges: 0–4, 6, 8–9."""
    parts: list[str] = []
    ordered = sorted(set(numbers))
    start = 0
    for i in range(1, len(ordered) + 1):
        if i == len(ordered) or ordered[i] != ordered[i - 1] + 1:
            low, high = ordered[start], ordered[i - 1]
            parts.append(str(low) if low == high else f"{low}–{high}" if high - low > 1 else f"{low}, {high}")
            start = i
    return ", ".join(parts)


def ranks_named(ranks: Sequence[int]) -> str:
    """One or more ranks: `rank 3`, `ranks 0–4, 6`."""
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {ranges(ranks)}"


def exit_status(code: int) -> str:
    """How a process ended: `exit code 1`, or `signal 9` for -9."""
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def shortened(text: str, longest: int) -> str:
    """Text on one line, cut at a word where it is too long."""
    flat = " ".join(text.split())
    if len(flat) <= longest:
        return flat
    cut = flat[: longest - 1]
    return cut[: cut.rfind(" ")] + "…" if " " in cut[longest // 2 :] else cut + "…"
