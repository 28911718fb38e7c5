"""Changes to the logs of a run that must not change who is found to have failed first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

RUNS = Path(__file__).parents[2] / "runs"

Logs = dict[str, str]
"""Text by the name of its file, in reading order."""
Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class LabRun:
    """A stored run and what is known of it."""

    name: str
    logs: Logs
    answer: Mapping[str, Any]

    @property
    def right_places(self) -> set[Place]:
        """Lines any of which is right, where several processes say the same of a silent one."""
        places: set[Place] = set()
        for item in self.answer.get("primary_lines") or ():
            name, _, number = str(item).rpartition(":")
            places.add((name or next(iter(self.logs)), int(number)))
        return places

    @property
    def world(self) -> int:
        return int(self.answer.get("world_size") or 4)

    @property
    def launcher(self) -> str:
        return str(self.answer["lab_launcher"])

    @property
    def one_node(self) -> bool:
        return "2node" not in self.launcher and not any(re.search(r"\bnode1\b", text) for text in self.logs.values())


@dataclass(frozen=True, slots=True)
class Changed:
    """The logs after a change, with where a line and a rank have gone."""

    logs: Logs
    rank: Callable[[int], int] = lambda rank: rank
    place: Callable[[Place], Place] = lambda place: place
    ahead: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seconds by which the clock of a host was put forward, where that must be found out."""


def runs() -> Iterator[LabRun]:
    """All stored runs."""
    for path in sorted(RUNS.glob("*/case.yaml")):
        folder = path.parent
        single = folder / "log.txt"
        files = [single] if single.exists() else sorted(p for p in (folder / "logs").rglob("*") if p.is_file())
        logs = {str(f.relative_to(folder)): f.read_bytes().decode("utf-8", "replace") for f in files if f.stat().st_size}
        yield LabRun(folder.name, logs, yaml.safe_load(path.read_text("utf-8")))


# --- other numbers ----------------------------------------------------------------------------------------------------

_RANKS = re.compile(
    r"(?P<before>\[(?:rank|default)|(?i:\b(?:global_|local_)?ranks?['\"]?\s*[:=]?\s*)|\btasks? |\bProcess(?: rank)? |process rank "
    r"|\bprocess (?=\d+ terminated)|attempt_\d+/|keys: \S*/|\[1,|\[\[\d+,1\],)(?P<ranks>\d+(?:[,-]\d+)*)(?![\d.])"
)
_LABEL = re.compile(r"(?m)^(?P<before>)(?P<ranks>\d+)(?=: )")


def renumbered(run: LabRun, new: Callable[[int], int]) -> Changed:
    """Every mention of a rank with another number: prefixes, summaries, sentences and names of files."""

    def number(text: str) -> str:
        return str(new(int(text))) if int(text) < run.world else text

    def mention(match: re.Match[str]) -> str:
        ranks = re.sub(r"(\d+)-(\d+)", lambda m: ",".join(map(str, range(int(m[1]), int(m[2]) + 1))), match["ranks"])
        mapped = ranks if "[default" in match["before"] and not run.one_node else re.sub(r"\d+", lambda m: number(m[0]), ranks)
        return match["before"] + mapped

    def text(original: str) -> str:
        labelled = _LABEL.sub(mention, original) if run.launcher == "srun" else original
        return _RANKS.sub(mention, labelled)

    logs = {_RANKS.sub(mention, name): text(content) for name, content in run.logs.items()}
    return Changed(dict(sorted(logs.items())), new, lambda place: (_RANKS.sub(mention, place[0]), place[1]))


def neighbours_swapped(run: LabRun) -> Changed | None:
    """0 with 1, 2 with 3: a renumbering within each node."""
    return renumbered(run, lambda rank: rank ^ 1 if rank ^ 1 < run.world else rank)


def all_but_the_first_turned(run: LabRun) -> Changed | None:
    """Rank 0 stays, since some roles are its own; the others move up by one."""
    return renumbered(run, lambda rank: rank and 1 + rank % (run.world - 1)) if run.one_node and run.world > 2 else None


def _headed(run: LabRun, line: str) -> Changed:
    name = next(iter(run.logs))
    logs = {**run.logs, name: line + "\n" + run.logs[name]}
    return Changed(logs, place=lambda place: (place[0], place[1] + (place[0] == name)))


def mention_of_a_smaller_world(run: LabRun) -> Changed | None:
    """A line about another run's size."""
    return _headed(run, "2026-12-01 01:00:00,000 INFO resuming from a checkpoint that was saved with world_size=2")


def mention_of_a_larger_world(run: LabRun) -> Changed | None:
    return _headed(run, "2026-12-01 01:00:00,000 INFO resuming from a checkpoint that was saved with world_size=64")


# --- other files ------------------------------------------------------------------------------------------------------


def files_reversed(run: LabRun) -> Changed | None:
    """The files of the run read in the opposite order."""
    return Changed(dict(reversed(run.logs.items()))) if len(run.logs) > 1 else None


def folders_around_files(run: LabRun) -> Changed | None:
    """Each file below a folder of its own, whose name turns the order round."""
    if len(run.logs) < 2:
        return None
    names = {name: f"{len(run.logs) - n:02d}/{name}" for n, name in enumerate(run.logs)}
    logs = dict(sorted((names[name], text) for name, text in run.logs.items()))
    return Changed(logs, place=lambda place: (names[place[0]], place[1]))


_TASK = re.compile(r"^(?:\[\d+,(\d+)\]<std(?:out|err)>:|(\d+): )")
_OWN_RANK = re.compile(r"\[rank ?\d+\]:? ")


def _split(run: LabRun, name: Callable[[int], str], own: Callable[[str], str]) -> Changed | None:
    """The lines of each task in a file of its own; what the launcher says stays on the console."""
    if run.launcher not in ("srun", "mpirun") or len(run.logs) > 1 or run.answer["fault"] == "wrong_world":
        return None  # a rank that was never started has no file, as one has whose file is missing
    ((single, text),) = run.logs.items()
    files: dict[str, list[str]] = {"console.log": []}
    moved: dict[Place, Place] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        task = _TASK.match(line)
        target = name(int(task[1] or task[2])) if task else "console.log"
        said = files.setdefault(target, [])
        said.append(own(line[task.end() :]) if task else line)
        moved[(single, number)] = (target, len(said))
    return Changed({file: "\n".join(lines) for file, lines in sorted(files.items())}, place=lambda place: moved[place])


def files_of_tasks(run: LabRun) -> Changed | None:
    """`srun --output=slurm-%j-%t.out`."""
    return _split(run, "slurm-4242-{}.out".format, lambda line: line)


def files_of_tasks_that_name_no_rank(run: LabRun) -> Changed | None:
    """The same of a program that puts no rank into its lines: only the names of the files tell."""
    return _split(run, "slurm-4242-{}.out".format, lambda line: _OWN_RANK.sub("", line))


def files_of_ranks_that_name_no_rank(run: LabRun) -> Changed | None:
    """A log file that each process opens by its rank."""
    return _split(run, "logs/rank_{}.log".format, lambda line: _OWN_RANK.sub("", line))


def files_below_headings(run: LabRun) -> Changed | None:
    """`tail -n +1 */*.log`: all files in one, each below its name."""
    if len(run.logs) < 2:
        return None
    lines: list[str] = []
    moved: dict[Place, Place] = {}
    for name, text in run.logs.items():
        lines += [f"==> {name} <=="]
        own = text.removesuffix("\n").split("\n")
        moved.update({(name, number): ("all.log", len(lines) + number) for number in range(1, len(own) + 1)})
        lines += [*own, ""]
    return Changed({"all.log": "\n".join(lines)}, place=lambda place: moved[place])


# --- other clocks -----------------------------------------------------------------------------------------------------

_CLOCK = re.compile(r"(?<![\d:])(\d\d):(\d\d):(\d\d)(?![\d:])")


_LOGGED_STEP = re.compile(r"INFO \[rank \d+\] train: step 1 ")
"""A host that logs none gives nothing to compare its clock by."""


def _skewed(run: LabRun, host: str, by: int) -> Changed | None:
    def later(match: re.Match[str]) -> str:
        seconds = (int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3]) + by) % 86400
        return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"

    if not any(host in name for name in run.logs):
        return None
    logs = {name: _CLOCK.sub(later, text) if host in name else text for name, text in run.logs.items()}
    tells = all(_LOGGED_STEP.search(text) for text in run.logs.values())
    return Changed(logs, ahead={host: by} if tells and abs(by) > 10 else {})


def node1_2_s_ahead(run: LabRun) -> Changed | None:
    return _skewed(run, "node1", 2)


def node1_2_s_behind(run: LabRun) -> Changed | None:
    return _skewed(run, "node1", -2)


def node1_90_s_ahead(run: LabRun) -> Changed | None:
    return _skewed(run, "node1", 90)


def node1_90_s_behind(run: LabRun) -> Changed | None:
    return _skewed(run, "node1", -90)


def node1_an_hour_ahead(run: LabRun) -> Changed | None:
    """Another time zone, or a clock that was never set."""
    return _skewed(run, "node1", 3600)


def node1_an_hour_behind(run: LabRun) -> Changed | None:
    return _skewed(run, "node1", -3600)


# --- other order -------------------------------------------------------------------------------------------------------

_ORDINARY = re.compile(r"^\d{4}-\d\d-\d\d \S+ INFO \[rank (\d+)\] ")
_OWN = re.compile(r"^(?:\[default\d+\]:)?\[rank(\d+)\]")


def stdout_behind_stderr(run: LabRun) -> Changed | None:
    """A buffered stdout: what a process printed there comes all at once when it ends, behind its traceback."""
    moved: dict[Place, Place] = {}
    logs = {name: _flushed_late(name, text.split("\n"), moved) for name, text in run.logs.items()}
    return Changed(logs, place=lambda place: moved[place]) if logs != run.logs else None


def _flushed_late(name: str, lines: list[str], moved: dict[Place, Place]) -> str:
    last = {match[1]: number for number, line in enumerate(lines) if (match := _OWN.match(line))}
    held: dict[str, list[int]] = {}
    order: list[int] = []
    for number, line in enumerate(lines):
        ordinary = _ORDINARY.match(line)
        if ordinary and number < last.get(ordinary[1], -1):
            held.setdefault(ordinary[1], []).append(number)
            continue
        order.append(number)
        own = _OWN.match(line)
        if own and last[own[1]] == number:
            order += held.pop(own[1], [])
    for new, old in enumerate(order, start=1):
        moved[(name, old + 1)] = (name, new)
    return "\n".join(lines[number] for number in order)


# --- other prefixes ---------------------------------------------------------------------------------------------------

_SAID = re.compile(r"\[rank ?(\d+)\]")
_TAGGED = re.compile(r"(?m)^(?:\[default\d+\]:|\[\d+,\d+\]<|\d+: |\[pod/)")


def _prefixed(run: LabRun, prefix: Callable[[int | None], str]) -> Changed | None:
    """Single logs of one node that carry no such prefix yet."""
    if len(run.logs) > 1 or any(_TAGGED.search(text) for text in run.logs.values()):
        return None

    def line(text: str) -> str:
        said = _SAID.search(text[:60])
        return prefix(int(said[1]) if said else None) + text if text else text

    return Changed({name: "\n".join(map(line, text.split("\n"))) for name, text in run.logs.items()})


def tee_of_torchrun(run: LabRun) -> Changed | None:
    """`torchrun --tee`: the lines of workers, and no others, carry a prefix."""
    if not run.launcher.startswith("torchrun") or not run.one_node:
        return None
    return _prefixed(run, lambda rank: "" if rank is None else f"[default{rank}]:")


def tags_of_mpirun(run: LabRun) -> Changed | None:
    """`mpirun --tag-output`."""
    return _prefixed(run, lambda rank: "" if rank is None else f"[1,{rank}]<stderr>:") if run.launcher == "mpirun" else None


def labels_of_srun(run: LabRun) -> Changed | None:
    """`srun --label` around the tasks: what srun itself says stays bare."""
    return _prefixed(run, lambda rank: "" if rank is None else f"{rank}: ") if run.launcher == "mpirun" else None


def one_label_of_srun(run: LabRun) -> Changed | None:
    """`srun --label torchrun ...` on one node: the label of all lines is that of the agent's task, 0."""
    return _prefixed(run, lambda rank: "0: ") if run.launcher.startswith("torchrun") and run.one_node else None


def prefix_of_kubectl(run: LabRun) -> Changed | None:
    """`kubectl logs --prefix` of one pod that runs all workers."""
    return _prefixed(run, lambda rank: "[pod/train-0/main] ") if run.one_node else None


def _behind(run: LabRun, prefix: Callable[[int], str], suffix: str = "") -> Changed | None:
    """Every line of logs of one node behind what a container engine, a log shipper or a CI system puts there."""
    if not run.one_node:
        return None

    def text(content: str) -> str:
        lines = content.split("\n")
        last = [] if lines[-1] else [lines.pop()]
        return "\n".join([prefix(number) + line + suffix for number, line in enumerate(lines)] + last)

    return Changed({name: text(content) for name, content in run.logs.items()})


def _clock(number: int) -> str:
    return f"09:{number // 600 % 60:02d}:{number // 10 % 60:02d}.{number % 10}"


def stamps_of_kubectl(run: LabRun) -> Changed | None:
    """`kubectl logs --timestamps`."""
    return _behind(run, lambda number: f"2026-12-01T{_clock(number)}00000000Z ")


def files_of_the_kubelet(run: LabRun) -> Changed | None:
    """What the container runtime writes below /var/log/pods."""
    return _behind(run, lambda number: f"2026-12-01T{_clock(number)}00000000Z stderr F ")


def logs_of_github_actions(run: LabRun) -> Changed | None:
    return _behind(run, lambda number: f"2026-12-01T{_clock(number)}000000Z ")


def lines_of_docker_compose(run: LabRun) -> Changed | None:
    return _behind(run, lambda number: "trainer-1  | ")


def lines_of_stern(run: LabRun) -> Changed | None:
    return _behind(run, lambda number: "train-0 main ")


def lines_of_pdsh(run: LabRun) -> Changed | None:
    """Without a run whose own host has another name."""
    return _behind(run, lambda number: "node0: ")


def journal_of_a_service(run: LabRun) -> Changed | None:
    """`journalctl -u train`."""
    return _behind(run, lambda number: f"Dec 01 {_clock(number)[:8]} node0 train[4242]: ")


def records_of_docker(run: LabRun) -> Changed | None:
    """The json-file logging driver of Docker."""

    def text(content: str) -> str:
        lines = content.removesuffix("\n").split("\n")
        records = (
            json.dumps({"log": line + "\n", "stream": "stderr", "time": f"2026-12-01T{_clock(number)}00000000Z"})
            for number, line in enumerate(lines)
        )
        return "\n".join(records) + "\n"

    return Changed({name: text(content) for name, content in run.logs.items()}) if run.one_node else None


def colours(run: LabRun) -> Changed | None:
    """Each line red, as some loggers and terminals make it."""
    return _behind(run, lambda number: "\x1b[31m", "\x1b[0m")


def a_healthy_start_before(run: LabRun) -> Changed | None:
    """A hundred lines of set-up, warnings of it included."""
    lines = [
        "UserWarning: The given NumPy array is not writable" if number % 50 == 7 else f"[setup] downloaded shard {number} of 100"
        for number in range(100)
    ]
    name = next(iter(run.logs))
    logs = {**run.logs, name: "\n".join(lines) + "\n" + run.logs[name]}
    return Changed(logs, place=lambda place: (place[0], place[1] + 100 * (place[0] == name)))


# --- other line ends --------------------------------------------------------------------------------------------------


def crlf(run: LabRun) -> Changed | None:
    """Line ends of Windows."""
    return Changed({name: text.replace("\n", "\r\n") for name, text in run.logs.items()})


def blank_lines_at_paragraphs(run: LabRun) -> Changed | None:
    """A blank line before each traceback and at the start of each file."""
    moved: dict[Place, Place] = {}
    logs: Logs = {}
    for name, text in run.logs.items():
        out = [""]
        for number, line in enumerate(text.split("\n"), start=1):
            out += [""] if "Traceback (most recent call last):" in line else []
            out.append(line)
            moved[(name, number)] = (name, len(out))
        logs[name] = "\n".join(out)
    return Changed(logs, place=lambda place: moved[place])


CHANGES: tuple[Callable[[LabRun], Changed | None], ...] = (
    neighbours_swapped,
    all_but_the_first_turned,
    mention_of_a_smaller_world,
    mention_of_a_larger_world,
    files_reversed,
    folders_around_files,
    files_of_tasks,
    files_of_tasks_that_name_no_rank,
    files_of_ranks_that_name_no_rank,
    files_below_headings,
    node1_2_s_ahead,
    node1_2_s_behind,
    node1_90_s_ahead,
    node1_90_s_behind,
    node1_an_hour_ahead,
    node1_an_hour_behind,
    stdout_behind_stderr,
    tee_of_torchrun,
    tags_of_mpirun,
    labels_of_srun,
    one_label_of_srun,
    prefix_of_kubectl,
    stamps_of_kubectl,
    files_of_the_kubelet,
    logs_of_github_actions,
    lines_of_docker_compose,
    lines_of_stern,
    lines_of_pdsh,
    journal_of_a_service,
    records_of_docker,
    colours,
    a_healthy_start_before,
    crlf,
    blank_lines_at_paragraphs,
)


def without_rank(run: LabRun, rank: int) -> Logs | None:
    """The run without the files of one rank; None where ranks have no files of their own."""
    kept = {name: text for name, text in run.logs.items() if not re.search(rf"attempt_\d+/{rank}/", name)}
    return kept if len(kept) < len(run.logs) else None
