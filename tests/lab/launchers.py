"""The ways in which the training program is started, and what is missing where one of them cannot be used."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LAB = Path(__file__).resolve().parent
OWN_ENVIRONMENT = LAB / ".venv"
TRAIN = LAB / "train.py"
RANKS = 3
"""Two that wait and one that fails: the fewest with which an odd one out can be told."""
RANK_FILES = "ranks"
"""The folder of per-rank logs, for launchers that are asked for them."""


@dataclass(frozen=True, slots=True)
class Launcher:
    """One way of starting the ranks of a run on this machine."""

    command: Callable[[], list[str]]
    arguments: tuple[str, ...] = ()
    missing: Callable[[], str | None] = lambda: None
    console_only: bool = True
    """Whether the console is all there is to read; else the whole folder is diagnosed."""

    def full_command(self, *more: str) -> list[str]:
        return [*self.command(), str(TRAIN), *self.arguments, *more]


def folder_of_programs() -> Path:
    """Where the interpreter with PyTorch is: the lab's own environment, else that of the tests."""
    return OWN_ENVIRONMENT / "bin" if OWN_ENVIRONMENT.is_dir() else Path(sys.executable).parent


def torch_version() -> str:
    """The installed release of PyTorch, without the name of its build."""
    done = _import_torch()
    if done.returncode != 0:
        raise RuntimeError(f"{program('python')} has no PyTorch; run `make lab`\n{done.stderr}")
    return done.stdout.strip().partition("+")[0]


def has_torch() -> bool:
    return _import_torch().returncode == 0


def _import_torch() -> subprocess.CompletedProcess[str]:
    code = "import torch; print(torch.__version__)"
    return subprocess.run([program("python"), "-c", code], capture_output=True, text=True, timeout=300, check=False)


def program(name: str) -> str:
    return str(folder_of_programs() / name)


def environment() -> dict[str, str]:
    """What a run sees of the outside: nothing of the shell's or the CI system's own settings."""
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
    path = os.pathsep.join([str(folder_of_programs()), os.environ.get("PATH", os.defpath)])
    return {**kept, "PATH": path, "LANG": "C.UTF-8", "GLOO_SOCKET_IFNAME": "lo", "PYTHONDONTWRITEBYTECODE": "1"}


def free_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


def _torchrun(*more: str) -> list[str]:
    return [program("torchrun"), "--standalone", "--nproc-per-node", str(RANKS), *more]


def _accelerate() -> list[str]:
    # --multi_gpu chooses the launcher for several processes; without a GPU the program still runs on the CPU.
    how = ["--multi_gpu", "--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    return [program("accelerate"), "launch", *how, "--num_processes", str(RANKS), "--main_process_port", free_port()]


def _mpirun() -> list[str]:
    rendezvous = ["-x", "MASTER_ADDR=127.0.0.1", "-x", f"MASTER_PORT={free_port()}"]
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--tag-output", *rendezvous, "-np", str(RANKS), program("python")]


def _spawn() -> list[str]:
    return ["env", "MASTER_ADDR=127.0.0.1", f"MASTER_PORT={free_port()}", program("python")]


def _without_accelerate() -> str | None:
    return None if Path(program("accelerate")).exists() else "accelerate is not installed beside PyTorch"


def _without_open_mpi() -> str | None:
    mpirun = shutil.which("mpirun", path=environment()["PATH"])
    if mpirun is None:
        return "mpirun is not installed beside PyTorch, nor on this machine (Debian: apt-get install openmpi-bin)"
    said = subprocess.run([mpirun, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    return None if "Open MPI" in said else "the mpirun installed here is not Open MPI"


LAUNCHERS = {
    "torchrun": Launcher(_torchrun),
    "torchrun-tee": Launcher(lambda: _torchrun("--tee", "3")),
    "torchrun-logdir": Launcher(lambda: _torchrun("--log-dir", RANK_FILES, "--tee", "3"), console_only=False),
    "torchrun-restarts": Launcher(lambda: _torchrun("--max-restarts", "2")),
    "spawn": Launcher(_spawn, arguments=("--spawn", str(RANKS))),
    "mpirun": Launcher(_mpirun, missing=_without_open_mpi),
    "accelerate": Launcher(_accelerate, missing=_without_accelerate),
}
