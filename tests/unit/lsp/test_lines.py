"""The line index: what editors call a line, what the core calls one, and columns in three encodings."""

from __future__ import annotations

import random
import re

import pytest

from firstfault.lsp.lines import END, PIECE, Encoding, Lines, UnreadLines, index_of, units

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


def plain(text: str) -> list[str]:
    """Lines as the protocol defines them, the slow way."""
    return re.split(r"\r\n|\n|\r", text)


@pytest.mark.parametrize(
    "text", ["", "a", "a\n", "a\r\nb", "a\rb\r", "\n\n", "\r\n\r\n", "\r\r\n\n", "a\x0cb\x85c\u2028d\n", "x" * (3 * PIECE), "é\n" * PIECE]
)
def test_lines_are_those_of_the_protocol(text: str) -> None:
    lines = Lines.of(text)
    assert [lines.line(n) for n in range(lines.count)] == plain(text)
    assert lines.text == text
    assert lines.size == len(text.encode())


@pytest.mark.parametrize(
    ("text", "core", "first"),
    [("a\nb\nc", 3, 2), ("a\rb\rc\nd", 2, 3), ("a\r\nb\r\nc", 2, 1), ("a\n", 2, 1), ("", 1, 0), ("a\nb", 99, 1), ("a", 0, 0)],
)
def test_a_line_of_the_core_begins_at_a_line_of_the_editor(text: str, core: int, first: int) -> None:
    assert Lines.of(text).first_of(core) == first


@pytest.mark.parametrize(("line", "core"), [(0, 1), (1, 1), (2, 1), (3, 2), (4, 3), (99, 3)])
def test_a_line_of_the_editor_belongs_to_a_line_of_the_core(line: int, core: int) -> None:
    assert Lines.of("10%\r20%\r30%\nb\n").core_line(line) == core


@pytest.mark.parametrize(("said", "line"), [("KeyError: 'x'", 1), ("step 3", 2), ("not there", 2), ("", 2)])
def test_of_the_redraws_of_a_line_the_one_is_taken_that_shows_the_text(said: str, line: int) -> None:
    assert Lines.of("step 1\rKeyError: 'x'\rstep 3\nend\n").place_of(1, said) == line


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_columns_lead_back_to_their_characters(encoding: Encoding) -> None:
    text = "a损🔥é𝄞z"
    assert [index_of(text, units(text[:i], encoding), encoding) for i in range(len(text) + 1)] == list(range(len(text) + 1))
    assert index_of(text, 10**6, encoding) == len(text)
    assert index_of(text, -1, encoding) == 0


def test_a_column_within_a_character_is_its_start() -> None:
    assert index_of("a🔥b", 2, "utf-16") == 1
    assert index_of("a🔥b", 3, "utf-8") == 1


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_any_edits_give_the_text_that_they_must(encoding: Encoding) -> None:
    chance = random.Random(7)
    text = "".join(chance.choice(["step\n", "损失🔥\r\n", "10%\r", "\n", "word "]) for _ in range(9000))
    lines = Lines.of(text)
    for _ in range(200):
        rows = plain(text)
        first = chance.randrange(len(rows))
        last = min(len(rows) - 1, first + chance.choice([0, 0, 1, 300]))
        start, end = chance.randint(0, len(rows[first])), chance.randint(0, len(rows[last]))
        if (first, start) > (last, end):
            start, end = end, start
        new = chance.choice(["", "x", "\n", "\r", "🔥\r\n", "long " * 5000])
        starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", text))]
        text = text[: starts[first] + start] + new + text[starts[last] + end :]
        place = (first, units(rows[first][:start], encoding)), (last, units(rows[last][:end], encoding))
        lines = lines.replaced(*place, new, encoding)
        assert lines.text == text
        assert lines.count == len(plain(text))


def test_an_edit_shares_the_pieces_that_it_does_not_touch() -> None:
    before = Lines.of("step 1\n" * 50_000)
    after = before.replaced((20_000, 0), (20_000, 0), "x", "utf-16")
    assert sum(a is not b for a, b in zip(before.pieces, after.pieces, strict=True)) == 1


def test_a_text_that_grew_shares_its_beginning() -> None:
    before = Lines.of("step 1\n" * 50_000)
    after = Lines.of("step 1\n" * 60_000).sharing(before)
    assert after.count == 60_001
    shared = sum(a.size for a, b in zip(before.pieces, after.pieces, strict=False) if a is b)
    assert shared > before.size - 2 * END


def test_lines_of_a_file_that_was_not_read_have_their_numbers() -> None:
    assert UnreadLines().place_of(700, "said") == 699
    assert UnreadLines().line(699) == ""
