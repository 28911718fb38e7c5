"""Whatever it is given, the command answers with a report, or with one sentence and exit code 2; never with a traceback."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .command import LONGEST, command, complaint, environment, run
from .logs import FAILED, HEALTHY

NOBODY = 65534


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)


def diagnose(*arguments: str, **how: Any) -> dict[str, Any]:
    return report_of(run("diagnose", *arguments, "--format", "json", **how))


def first_type(report: dict[str, Any]) -> str:
    return report["incidents"][0]["initiator"]["text"].split(":")[0]


# --- nothing to read --------------------------------------------------------------------------------------------------


def _write(name: str, data: bytes) -> Callable[[Path], None]:
    return lambda folder: ((folder / name).write_bytes(data) and None) or None


def _loop(folder: Path) -> None:
    (folder / "run").mkdir()
    (folder / "run" / "again").symlink_to(folder / "run")


def _ring(folder: Path) -> None:
    (folder / "run.log").symlink_to(folder / "other.log")
    (folder / "other.log").symlink_to(folder / "run.log")


REFUSED: list[Any] = [
    pytest.param(lambda _: None, ["gone.log"], "gone.log: no such file or folder", id="missing file"),
    pytest.param(lambda _: None, ["gone/*.log"], "no file matches gone/*.log", id="glob without a match"),
    pytest.param(lambda f: (f / "run").mkdir(), ["run"], "run: the folder holds no log files", id="empty folder"),
    pytest.param(_loop, ["run"], "run: the folder holds no log files", id="folder that holds itself"),
    pytest.param(_ring, ["run.log"], "run.log: no such file or folder", id="ring of links"),
    pytest.param(
        _write("model.pt", b"PK\x03\x04" + bytes(5000)), ["model.pt"], "model.pt: this is a binary file, not a log", id="checkpoint"
    ),
    pytest.param(_write("core", b"\x7fELF" + bytes(5000)), ["core"], "core: this is a binary file, not a log", id="core dump"),
    pytest.param(_write("zeros.log", bytes(5_000_000)), ["zeros.log"], "zeros.log: this is a binary file, not a log", id="zeros"),
    pytest.param(_write("run.log", b""), ["run.log"], "run.log: the log is empty", id="empty file"),
    pytest.param(_write("run.log.gz", gzip.compress(b"")), ["run.log.gz"], "run.log.gz: the log is empty", id="empty compressed file"),
    pytest.param(lambda _: None, ["-"], "<stdin>: the log is empty", id="empty standard input"),
    pytest.param(lambda _: None, ["/dev/null"], "/dev/null: the log is empty", id="device without content"),
    pytest.param(lambda _: None, ["run.log", "--jobs", "0"], "--jobs needs a number of at least 1", id="no jobs"),
]


@pytest.mark.parametrize(("prepare", "arguments", "sentence"), REFUSED)
def test_what_cannot_be_read_is_refused_in_one_sentence(
    place: Path, prepare: Callable[[Path], None], arguments: list[str], sentence: str
) -> None:
    prepare(place)
    assert complaint(run("diagnose", *arguments)) == sentence


@pytest.mark.parametrize("data", [gzip.compress(FAILED.encode() * 50)[:15], lzma.compress(FAILED.encode() * 50)[:30]], ids=["gzip", "xz"])
def test_a_compressed_file_of_which_nothing_can_be_read_is_refused(place: Path, data: bytes) -> None:
    (place / "run.log.z").write_bytes(data)
    assert complaint(run("diagnose", "run.log.z")).startswith("run.log.z: the compressed data is broken (")


def _may_run(user: int) -> bool:
    try:
        done = subprocess.run(command("--version"), env=environment(), user=user, capture_output=True, check=False)
    except PermissionError:
        return False
    return done.returncode == 0


@pytest.fixture
def public(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that every user may enter, as the current one."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        monkeypatch.chdir(name)
        yield Path(name)


def test_a_file_that_may_not_be_read_is_refused(public: Path) -> None:
    (public / "run.log").write_text(FAILED)
    (public / "run.log").chmod(0)
    how: dict[str, Any] = {"env": {"HOME": str(public)}}
    if os.geteuid() == 0:  # who may read everything, so that the command runs as somebody else
        how["user"] = NOBODY
        if not _may_run(NOBODY):
            pytest.skip("other users may not run this checkout")
    assert complaint(run("diagnose", "run.log", **how)) == "run.log: permission denied"


def test_standard_input_that_is_closed_is_refused(place: Path) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *command("diagnose", "-")],
        env=environment(), capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip
    assert complaint(done) == "standard input is closed; name a log to read"


def test_one_bad_file_among_good_ones_is_named_and_the_rest_diagnosed(place: Path) -> None:
    (place / "logs").mkdir()
    (place / "logs" / "rank1.log").write_text(FAILED)
    (place / "logs" / "core.log").write_bytes(b"\x7fELF" + bytes(5000))
    done = run("diagnose", "logs", "--format", "json")
    report = report_of(done)
    assert done.returncode == 1
    assert done.stderr == "firstfault: logs/core.log: this is a binary file, not a log\n"
    assert "logs/core.log: this is a binary file, not a log" in report["notes"]
    assert first_type(report) == "KeyError"


def test_empty_logs_beside_others_are_ordinary(place: Path) -> None:
    (place / "logs").mkdir()
    (place / "logs" / "stdout.log").write_text("")
    (place / "logs" / "stderr.log").write_text(FAILED)
    assert first_type(diagnose("logs")) == "KeyError"


# --- odd bytes --------------------------------------------------------------------------------------------------------

ODD = [
    pytest.param(FAILED.replace("\n", "\r\n").encode(), id="CRLF"),
    pytest.param(b"\0" * 100_000 + FAILED.encode(), id="hole left by rotation"),
    pytest.param(b"\0" * 9_000_000 + FAILED.encode(), id="hole larger than a block"),
    pytest.param(FAILED.replace("KeyError", "\0KeyError").encode(), id="NUL in a line"),
    pytest.param(b"\x80\xfe caf\xe9\n" * 3 + FAILED.encode(), id="invalid UTF-8"),
    pytest.param(b"step \xe2\x82\n" + FAILED.encode(), id="cut UTF-8"),
    pytest.param(b"\xff\xfe" + FAILED.encode("utf-16-le"), id="UTF-16 with BOM"),
    pytest.param(FAILED.encode("utf-16-le"), id="UTF-16 without BOM"),
    pytest.param(FAILED.encode("utf-16"), id="UTF-16"),
    pytest.param(b"\xef\xbb\xbf" + FAILED.encode(), id="UTF-8 with BOM"),
    pytest.param(
        b"".join(b"\r%d%%|##  | %d/100 [00:01<00:09]" % (i, i) for i in range(100)) + b"\r\n" + FAILED.encode(), id="progress bars"
    ),
    pytest.param(b"".join(b"\r%d%%|##  | %d/100 [00:01<00:09]" % (i, i) for i in range(100)) + FAILED.encode(), id="text glued to a bar"),
    pytest.param(b"\x1b[31m" + FAILED.replace("\n", "\x1b[0m\n\x1b[31m").encode(), id="colours"),
    pytest.param(FAILED.rstrip("\n").encode(), id="no line feed at the end"),
]


@pytest.mark.parametrize("data", ODD)
def test_odd_bytes_do_not_hide_the_failure(place: Path, data: bytes) -> None:
    (place / "run.log").write_bytes(data)
    report = diagnose("run.log")
    assert report["verdict"] == "failure"
    assert report["incidents"][0]["initiator"]["rank"] == 1
    assert "KeyError: 'input_ids'" in report["incidents"][0]["initiator"]["text"]


@pytest.mark.parametrize(
    "data",
    [b"\r" * 100_000, b"\n" * 100_000, b"\x1b" * 3000, b"\x1b[" * 3000, b"\x08" * 100 + b"text" * 100, b"a" * 5_000_000, b"\xff" * 5000],
)
def test_bytes_that_say_nothing_are_no_failure(place: Path, data: bytes) -> None:
    (place / "run.log").write_bytes(data)
    done = run("diagnose", "run.log")
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr


def test_names_that_are_no_utf_8_are_reported(place: Path) -> None:
    name = os.fsdecode(b"run-\xff.log")
    (place / name).write_text(FAILED)
    assert run("diagnose", ".").returncode == 1
    assert run("diagnose", ".", "--format", "json", "--output", "report.json").returncode == 1
    assert json.loads((place / "report.json").read_text("utf-8"))["sources"][0]["name"].startswith("./run-")


# --- broken and moving sources ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_what_a_truncated_archive_still_holds_is_diagnosed(place: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    noise = os.urandom(400_000).hex().encode()
    data = pack(FAILED.encode() + b"".join(noise[i : i + 100] + b"\n" for i in range(0, len(noise), 100)))
    (place / f"run.log{suffix}").write_bytes(data[: len(data) * 3 // 4])
    report = diagnose(f"run.log{suffix}")
    (source,) = report["sources"]
    assert source["truncated"] is True
    assert first_type(report) == "KeyError"
    assert report["notes"][0] == f"run.log{suffix} breaks off: only its first {source['lines']} lines could be read"


def test_a_file_that_vanishes_and_one_that_grows_while_others_are_read(place: Path) -> None:
    os.mkfifo(place / "first.log")
    (place / "vanishes.log").write_text(HEALTHY)
    (place / "grows.log").write_text(HEALTHY)

    def feed() -> None:
        with (place / "first.log").open("w") as pipe:  # opens when the command has listed its inputs and reads the first
            (place / "vanishes.log").unlink()
            with (place / "grows.log").open("a") as log:
                log.write(FAILED)
            pipe.write(HEALTHY)

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    done = run("diagnose", "first.log", "vanishes.log", "grows.log", "--format", "json")
    feeder.join(LONGEST)
    report = report_of(done)
    assert done.stderr == "firstfault: vanishes.log: no such file or directory\n"
    assert (first_type(report), report["incidents"][0]["initiator"]["source"]) == ("KeyError", "grows.log")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak memory of a program is read from /proc")
def test_one_line_of_a_hundred_megabytes_takes_little_memory(place: Path) -> None:
    with (place / "run.log").open("wb") as file:
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b"\n" + FAILED.encode())
    limit = 1_500_000_000

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    report = diagnose("run.log", preexec_fn=bounded)
    assert (first_type(report), report["incidents"][0]["initiator"]["line"]) == ("KeyError", 9)
    code = (
        "import re, runpy, sys\n"
        "sys.argv = ['firstfault', 'diagnose', 'run.log', '--output', 'out.txt']\n"
        "try: runpy.run_module('firstfault', run_name='__main__')\n"
        "except SystemExit: pass\n"
        # ru_maxrss would be at least that of the test run itself, which is carried over to the new program.
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=LONGEST, check=True)
    assert int(done.stdout.split()[-1]) < 250_000, "kilobytes"


# --- where the report goes --------------------------------------------------------------------------------------------


def _piped(shell: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/bash", "-c", shell, "bash", *command("diagnose", "run.log", "--format", "json")],
        env=environment(), capture_output=True, text=True, timeout=LONGEST, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("shell", ['"$@" | head -1', '"$@" | true', '"$@" | head -c 10'])
def test_a_reader_that_goes_away_is_no_error(place: Path, shell: str) -> None:
    (place / "run.log").write_text(FAILED * 300)
    done = _piped(shell)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_under_the_report_is_one_sentence(place: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    (place / "run.log").write_text(FAILED)
    done = run("diagnose", "run.log", "--output", "/dev/full")
    assert complaint(done) == "/dev/full: cannot be written: no space left on device"


def _closed(*words: str) -> subprocess.CompletedProcess[str]:
    shell = ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command(*words)]
    return subprocess.run(shell, env=environment(), capture_output=True, text=True, timeout=LONGEST, check=False)


def test_standard_output_that_is_closed_is_one_sentence(place: Path) -> None:
    (place / "run.log").write_text(FAILED)
    assert complaint(_closed("diagnose", "run.log")) == "standard output is closed; name a file with --output"


WRITERS = [("explain", "xid", "79"), ("list",), ("schema",), ("completion", "bash")]


@pytest.mark.parametrize("words", WRITERS, ids=lambda words: words[0])
def test_standard_output_that_is_closed_is_one_sentence_of_every_command(words: tuple[str, ...]) -> None:
    assert complaint(_closed(*words)) == "standard output is closed"


@pytest.mark.parametrize("words", [("diagnose", "run.log"), *WRITERS], ids=lambda words: words[0])
def test_standard_output_that_is_full_is_one_sentence(place: Path, words: tuple[str, ...]) -> None:
    (place / "run.log").write_text(FAILED)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command(*words), env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=LONGEST, check=False
        )
    assert (done.returncode, done.stderr) == (2, "firstfault: standard output cannot be written: no space left on device\n")


def test_a_report_to_a_file_needs_no_standard_output(place: Path) -> None:
    (place / "run.log").write_text(FAILED)
    done = _closed("diagnose", "run.log", "--output", "report.txt")
    assert (done.returncode, done.stderr) == (1, "")
    assert "KeyError" in (place / "report.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("target", "reason"),
    [(".", ".: cannot be written: is a directory"), ("gone/report.json", "gone/report.json: cannot be written: no such file or directory")],
)
def test_a_place_where_nothing_can_be_written_is_named(place: Path, target: str, reason: str) -> None:
    (place / "run.log").write_text(FAILED)
    assert complaint(run("diagnose", "run.log", "--output", target)) == reason


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["run.log", "--format", "yaml"], "invalid choice: 'yaml'"),
        (["run.log", "--jobs", "many"], "--jobs"),
        (["run.log", "--rank", "x"], "--rank"),
        (["run.log", "--rank", "7"], "no line of rank 7 in these logs; they name 0, 1"),
        (["run.log", "--rank", "-1"], "no line of rank -1 in these logs"),
        (["run.log", "--frobnicate"], "--frobnicate"),
    ],
)
def test_bad_usage_is_named_without_a_traceback(place: Path, arguments: list[str], part: str) -> None:
    (place / "run.log").write_text(FAILED)
    done = run("diagnose", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert part in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_an_unknown_command_is_named(place: Path) -> None:
    done = run("diagnoze", "run.log")
    assert (done.returncode, done.stdout) == (2, "")
    assert "diagnoze" in done.stderr


def test_interruption_is_silent(place: Path) -> None:
    os.mkfifo(place / "run.log")
    process = subprocess.Popen(command("diagnose", "run.log"), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with (place / "run.log").open("w"):  # opens when the command reads
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LONGEST)
    assert (process.returncode, out, err) == (130, "", "")


# --- signatures of the user -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("id: [", "bad.yaml:"),
        ("id: mine/other\n", "bad.yaml:"),
        ("- a\n- b\n", "bad.yaml:"),
        ("", "bad.yaml:"),
        ("id: mine/bad\ntitle: \x07\n", "bad.yaml:"),
    ],
    ids=["no YAML", "fields missing", "a list", "empty", "control character"],
)
def test_a_signature_that_breaks_the_rules_is_named_by_file_and_line(place: Path, text: str, part: str) -> None:
    root = Path(__file__).parents[2] / "signatures"
    (place / "signatures" / "mine").mkdir(parents=True)
    (place / "signatures" / "tables").symlink_to(root / "tables")
    (place / "signatures" / "cascades.yaml").symlink_to(root / "cascades.yaml")
    (place / "signatures" / "mine" / "bad.yaml").write_text(text)
    done = run("signature", "lint")
    assert done.returncode in (1, 2)
    assert part in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
