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


class _Script:
    """A file that sets environment variables, line by line."""

    def __init__(self, text: str) -> None:
        self.places = TextPlaces(text)
        self.rows = [text[self.places.line_start(n) : self.places.line_end(n)] for n in range(1, self.places.lines + 1)]

    def changed(self, assignment: re.Pattern[str], name: str, value: str, quoted: str) -> list[Proposal] | None:
        """The change of the last assignment, which is the one that counts; none where it has the value, None where there is no
        assignment. The pattern's group `value` is what is replaced, quotes included."""
        for number in range(len(self.rows), 0, -1):
            match = assignment.match(self.rows[number - 1])
            if match is None:
                continue
            if match["value"].strip("'\"") == value:
                return []
            base = self.places.line_start(number)
            change = Change(base + match.start("value"), base + match.end("value"), quoted)
            return [Proposal(title=f"Change {name} to {value}", line=number, changes=(change,), exact=True)]
        return None

    def added(self, before: int, text: str, title: str) -> list[Proposal]:
        """A line of its own before another one."""
        start = self.places.line_start(before)
        change = Change(start, start, f"{self.places.indent(before)}{text}{self.places.newline}")
        return [Proposal(title=title, line=before, changes=(change,), exact=False)]


def shell_edits(text: str, name: str, value: str) -> list[Proposal]:
    """Change the variable where a script sets it, or export it before the command that starts the run."""
    script = _Script(text)
    quoted = value if _PLAIN.fullmatch(value) else "'" + value.replace("'", "'\\''") + "'"
    assignment = re.compile(rf"^\s*(?:export\s+|declare\s+-x\s+)?{re.escape(name)}=(?P<value>'[^']*'|\"[^\"]*\"|[^\s;#&|]*)")
    change = script.changed(assignment, name, value, quoted)
    if change is not None:
        return change
    number = _launch_line(script.rows)
    return script.added(number, f"export {name}={quoted}", f"Add export {name}={value}") if number is not None else []


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
    script = _Script(text)
    quoted = _double_quoted(value)
    change = script.changed(re.compile(rf"^\s*(?:export\s+)?{re.escape(name)}\s*=\s*(?P<value>.*?)\s*$"), name, value, quoted)
    if change is not None:
        return change
    newline = script.places.newline
    lead = "" if not text or text.endswith(("\n", "\r")) else newline
    addition = Change(len(text), len(text), f"{lead}{name}={quoted}{newline}")
    return [Proposal(title=f"Add {name}={value}", line=script.places.lines, changes=(addition,), exact=False)]


def dockerfile_edits(text: str, name: str, value: str) -> list[Proposal]:
    """Change the variable that a Dockerfile sets, or set it before the command of the last stage."""
    script = _Script(text)
    quoted = _double_quoted(value)
    assignment = re.compile(rf"(?i)^\s*ENV\s+{re.escape(name)}(?:=|\s+)(?P<value>\"[^\"]*\"|\S*)\s*$")
    change = script.changed(assignment, name, value, quoted)
    if change is not None:
        return change
    command = [n for n, row in enumerate(script.rows, 1) if re.match(r"(?i)\s*(?:CMD|ENTRYPOINT)\b", row)]
    return script.added(command[-1], f"ENV {name}={quoted}", f"Add ENV {name}={value}") if command else []


def _double_quoted(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else f'"{value}"'
