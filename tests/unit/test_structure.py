"""How the code hangs together: arrows point one way, the core starts light, and nothing ever opens a socket."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "server" / "firstfault"

FOUNDATION = {"model", "report", "flight", "moments", "timeline", "lazy", "wording", "errors", "catalog"}
"""What every stage may know; these know no stage."""
STAGES = ("read", "scan", "blocks", "correlate", "advise")
MAY_ALSO_KNOW = {
    "read": set[str](),
    "blocks": {"read"},
    "scan": {"read", "blocks"},
    "correlate": {"blocks"},
    "advise": {"blocks", "correlate"},
}
"""Stages further up the stream, of which a stage may use the parts; never one further down."""
SURFACES = {"views", "lsp", "cli", "mcp", "site"}
COMPOSERS = {"engine", "scale"}


def modules(part: str) -> Iterator[Path]:
    single = PACKAGE / f"{part}.py"
    yield from [single] if single.exists() else sorted((PACKAGE / part).rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Parts of the package that a module imports, wherever in the module it does so."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = (
            [a.name for a in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        if isinstance(node, ast.ImportFrom) and node.module == "firstfault":
            names = [f"firstfault.{a.name}" for a in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("firstfault.")}
    return found - {"__version__"}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_knows_the_nouns_and_what_comes_before_it(stage: str) -> None:
    allowed = FOUNDATION | {stage} | MAY_ALSO_KNOW[stage]
    known = {path.name: sorted(imports(path) - allowed) for path in modules(stage)}
    assert {name: extra for name, extra in known.items() if extra} == {}


@pytest.mark.parametrize("part", sorted(FOUNDATION - {"catalog"}))
def test_the_foundation_knows_nothing_but_itself(part: str) -> None:
    for path in modules(part):
        assert imports(path) <= FOUNDATION


def test_nothing_but_the_surfaces_knows_the_surfaces() -> None:
    for part in (*FOUNDATION, *STAGES, "engine", "privacy"):
        for path in modules(part):
            assert not imports(path) & SURFACES, path


def test_views_know_the_report_and_not_how_it_came_about() -> None:
    for path in modules("views"):
        assert not imports(path) & {"read", "scan", "blocks", "correlate", *COMPOSERS}, path


def test_only_the_command_line_reads_standard_input_or_writes() -> None:
    for part in (*FOUNDATION, "scan", "blocks", "correlate", "advise", "views"):
        for path in modules(part):
            if path.name == "__main__.py":
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                assert not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input")), path


def test_files_and_functions_stay_small() -> None:
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        assert text.count("\n") <= 400, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert (node.end_lineno or 0) - node.lineno < 40, f"{path}:{node.lineno} {node.name}"


# --- what a start costs -----------------------------------------------------------------------------------------------

HEAVY = (
    "yaml",
    "lsprotocol",
    "pygls",
    "asyncio",
    "socket",
    "ssl",
    "http",
    "urllib.request",
    "multiprocessing",
    "jsonschema",
    "fsspec",
    "ray",
)


def _loaded(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(PACKAGE.parent), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement", ["import firstfault.engine", "import firstfault.cli.main", "import firstfault.cli.diagnose, firstfault.views.text"]
)
def test_the_core_starts_without_anything_heavy(statement: str) -> None:
    assert _loaded(statement) & set(HEAVY) == set()


def test_a_diagnosis_loads_nothing_heavy_either(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_text("step 1\nTraceback (most recent call last):\n  File \"t.py\", line 1, in <module>\nKeyError: 'x'\n")
    quiet = "import io\nfrom contextlib import redirect_stdout\nwith redirect_stdout(io.StringIO()):"
    statement = f"from firstfault.cli.main import main\n{quiet} main(['diagnose', {str(log)!r}])"
    assert _loaded(statement) & set(HEAVY) == set()


# --- nothing leaves the machine ---------------------------------------------------------------------------------------

NO_SOCKETS = """\
import socket
import sys


def _refused(*_: object, **__: object) -> None:
    sys.stderr.write("NETWORK TOUCHED\\n")
    raise RuntimeError("the network was used")


class _Socket(socket.socket):
    __init__ = _refused


socket.socket = _Socket
socket.create_connection = socket.getaddrinfo = socket.gethostbyname = socket.socketpair = _refused
"""
LOG = """\
[rank0]: 2026-12-01 10:00:00,100 INFO step 1 loss 2.13, see https://example.org/docs for 10.0.0.1
[rank1]: Traceback (most recent call last):
[rank1]:   File "/workspace/train.py", line 88, in <module>
[rank1]:     main()
[rank1]: torch.distributed.DistNetworkError: The client socket has failed to connect to node1:29500
"""
COMMANDS: dict[str, list[str]] = {
    "diagnose": ["diagnose", "run.log"],
    "diagnose a folder": ["diagnose", ".", "--jobs", "2"],
    "diagnose as JSON": ["diagnose", "run.log", "--format", "json", "--redact"],
    "diagnose as SARIF": ["diagnose", "run.log", "--format", "sarif"],
    "diagnose as Markdown": ["diagnose", "run.log", "--format", "markdown"],
    "diagnose as a page": ["diagnose", ".", "--format", "html", "--trace"],
    "diagnose for GitHub": ["diagnose", "run.log", "--format", "github"],
    "explain": ["explain", "xid", "79"],
    "list": ["list"],
    "schema": ["schema"],
    "completion": ["completion", "bash"],
    "signature": ["signature", "lint"],
    "help": ["--help"],
}


@pytest.fixture
def offline(tmp_path: Path) -> Path:
    """A folder with two logs, and beside it a start-up hook under which every attempt to use the network fails."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(NO_SOCKETS)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "run.log").write_text(LOG)
    (tmp_path / "work" / "other.log").write_text(LOG)
    signatures = tmp_path / "checkout" / "signatures"
    (signatures / "good").mkdir(parents=True)
    (signatures / "good" / "valid.yaml").write_text((ROOT / "tests" / "signatures" / "good" / "valid.yaml").read_text("utf-8"))
    (signatures / "tables").symlink_to(ROOT / "signatures" / "tables")
    (signatures / "cascades.yaml").write_text('edges:\n  - {from: ["good/*"], to: ["good/*"], because: "tests"}\n')
    return tmp_path


def _offline(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"PYTHONPATH": f"{folder / 'hook'}:{PACKAGE.parent}", "PATH": "", "HOME": str(folder), "PYTHONUTF8": "1"}
    cwd = folder / ("checkout" if words[0] == "signature" else "work")
    return subprocess.run(
        [sys.executable, *words] if words[0] == "-c" else [sys.executable, "-m", "firstfault", *words],
        env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_the_hook_does_catch_a_connection(offline: Path) -> None:
    done = _offline(offline, "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:9')")
    assert "NETWORK TOUCHED" in done.stderr


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS.keys())
def test_no_command_opens_a_socket(offline: Path, words: list[str]) -> None:
    done = _offline(offline, *words)
    assert "NETWORK TOUCHED" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout


def test_every_command_is_tried_here() -> None:
    from firstfault.cli.main import COMMANDS as ALL

    assert {words[0] for words in COMMANDS.values()} >= set(ALL) - {"serve"}
