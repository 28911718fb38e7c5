"""Sets an environment variable in the file that starts a run: a shell or batch script, an .env file, a Dockerfile."""

from __future__ import annotations

import re

from firstfault.advise.change import Change, Proposal, TextPlaces

_LAUNCH = re.compile(
    r"^\s*(?:exec\s+|time\s+|nohup\s+)?(?:\w+=\S+\s+)*(?:srun|mpirun|mpiexec|torchrun|deepspeed|accelerate\s+launch|horovodrun|python3?|vllm|ray\s+(?:start|job))\b"
)
_EXPORT = re.compile(r"^\s*export\s+\w+=")
_PLAIN = re.compile(r"[\w./:,@%+=^-]*")
_CONTINUES = re.compile(r"\\\s*$")


def shell_edits(text: str, name: str, value: str) -> list[Proposal]:
    """Change the variable where a script sets it, or export it before the command that starts the run."""
    places = TextPlaces(text)
    quoted = value if _PLAIN.fullmatch(value) else "'" + value.replace("'", "'\\''") + "'"
    rows = [text[places.line_start(n) : places.line_end(n)] for n in range(1, places.lines + 1)]
    given = _assigned(rows, re.compile(rf"^\s*(?:export\s+|declare\s+-x\s+)?{re.escape(name)}=(?P<value>'[^']*'|\"[^\"]*\"|[^\s;#&|]*)"))
    if given is not None:
        number, start, end = given
        if rows[number - 1][start:end].strip("'\"") == value:
            return []
        base = places.line_start(number)
        change = Change(base + start, base + end, quoted)
        return [Proposal(title=f"Change {name} to {value}", line=number, changes=(change,), exact=True)]
    number = _launch_line(rows)
    if number is None:
        return []
    start = places.line_start(number)
    change = Change(start, start, f"{places.indent(number)}export {name}={quoted}{places.newline}")
    return [Proposal(title=f"Add export {name}={value}", line=number, changes=(change,), exact=False)]


def _assigned(rows: list[str], pattern: re.Pattern[str]) -> tuple[int, int, int] | None:
    """Line of the last assignment, which is the one that counts, with the columns of its value."""
    for number in range(len(rows), 0, -1):
        match = pattern.match(rows[number - 1])
        if match:
            return number, match.start("value"), match.end("value")
    return None


def _launch_line(rows: list[str]) -> int | None:
    """The line before which an export belongs: the start of the first launch command, or what follows the last export above it."""
    for number, row in enumerate(rows, 1):
        if not _LAUNCH.match(row) or (number > 1 and _CONTINUES.search(rows[number - 2])):
            continue
        return number
    exports = [n for n, row in enumerate(rows, 1) if _EXPORT.match(row)]
    return exports[-1] if exports else None


def dotenv_edits(text: str, name: str, value: str) -> list[Proposal]:
    """Change the variable in an .env file, or add it at the end."""
    places = TextPlaces(text)
    rows = [text[places.line_start(n) : places.line_end(n)] for n in range(1, places.lines + 1)]
    quoted = value if _PLAIN.fullmatch(value) else f'"{value}"'
    given = _assigned(rows, re.compile(rf"^\s*(?:export\s+)?{re.escape(name)}\s*=\s*(?P<value>.*?)\s*$"))
    if given is not None:
        number, start, end = given
        if rows[number - 1][start:end].strip("'\"") == value:
            return []
        base = places.line_start(number)
        change = Change(base + start, base + end, quoted)
        return [Proposal(title=f"Change {name} to {value}", line=number, changes=(change,), exact=True)]
    lead = "" if not text or text.endswith(("\n", "\r")) else places.newline
    change = Change(len(text), len(text), f"{lead}{name}={quoted}{places.newline}")
    return [Proposal(title=f"Add {name}={value}", line=places.lines, changes=(change,), exact=False)]


def dockerfile_edits(text: str, name: str, value: str) -> list[Proposal]:
    """Change the variable that a Dockerfile sets, or set it before the command of the last stage."""
    places = TextPlaces(text)
    rows = [text[places.line_start(n) : places.line_end(n)] for n in range(1, places.lines + 1)]
    quoted = value if _PLAIN.fullmatch(value) else f'"{value}"'
    given = _assigned(rows, re.compile(rf"(?i)^\s*ENV\s+{re.escape(name)}(?:=|\s+)(?P<value>\"[^\"]*\"|\S*)\s*$"))
    if given is not None:
        number, start, end = given
        if rows[number - 1][start:end].strip('"') == value:
            return []
        base = places.line_start(number)
        return [Proposal(title=f"Change {name} to {value}", line=number, changes=(Change(base + start, base + end, quoted),), exact=True)]
    command = [n for n, row in enumerate(rows, 1) if re.match(r"(?i)\s*(?:CMD|ENTRYPOINT)\b", row)]
    if not command:
        return []
    start = places.line_start(command[-1])
    change = Change(start, start, f"ENV {name}={quoted}{places.newline}")
    return [Proposal(title=f"Add ENV {name}={value}", line=command[-1], changes=(change,), exact=False)]
