"""Builds the VSIX of one or more platforms, with everything inside that a host without a network needs.

    python tools/build_vsix.py                         for this machine
    python tools/build_vsix.py --target all            every platform
    python tools/build_vsix.py --target linux-arm64 --no-bundle

The libraries come as wheels, by the names and hashes of requirements-dev.lock: pure ones into bundled/libs/common, compiled ones
into a folder for each CPython, because nobody knows which Python the user's machine has. What the package may hold is listed
here and checked after it was built.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

try:
    from packaging.markers import Marker
except ModuleNotFoundError:
    from pip._vendor.packaging.markers import Marker  # the environment of a plain `python3 -m venv` has only this one

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-dev.lock"
LIBS = ROOT / "bundled" / "libs"
OUT = ROOT / "dist"
WHEELS = ROOT / "build" / "wheels"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
PURE = ("attrs", "cattrs", "exceptiongroup", "lsprotocol", "pygls", "typing-extensions")
COMPILED = ("hyperscan", "pyyaml", "regex")
MOST_BYTES = 40 * 1024 * 1024


class Target(NamedTuple):
    """A platform as the marketplace names it, and the tags of wheels that run there."""

    name: str
    tags: tuple[str, ...]
    system: str


TARGETS = {
    t.name: t
    for t in (
        Target("linux-x64", ("manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux_2_28_x86_64"), "linux"),
        Target("linux-arm64", ("manylinux_2_17_aarch64", "manylinux2014_aarch64", "manylinux_2_28_aarch64"), "linux"),
        Target("darwin-arm64", ("macosx_11_0_arm64", "macosx_12_0_arm64", "macosx_13_0_arm64", "macosx_14_0_arm64"), "darwin"),
        Target("darwin-x64", ("macosx_10_9_x86_64", "macosx_10_13_x86_64", "macosx_11_0_x86_64", "macosx_13_0_x86_64"), "darwin"),
        Target("win32-x64", ("win_amd64",), "win32"),
    )
}
ALLOWED = (
    r"extension\.vsixmanifest|\[Content_Types\]\.xml",
    r"extension/(package\.json|readme\.md|changelog\.md|LICENSE(\.txt|\.md)?|SECURITY\.md)",
    r"extension/extension/(dist/extension\.js|boot\.py)",
    r"extension/extension/media/(walkthrough/)?[\w-]+\.(png|svg|css|js|md)",
    r"extension/server/firstfault/([\w]+/)*\w+\.py",
    r"extension/server/firstfault/(py\.typed|_catalog\.jsonl)",
    r"extension/docs/demo/[\w./-]+",
    r"extension/bundled/libs/common/(attr|attrs|cattr|cattrs|exceptiongroup|lsprotocol|pygls)/.+\.(py|pyi|typed|md)",
    r"extension/bundled/libs/common/typing_extensions\.py",
    r"extension/bundled/libs/cp3\d\d/(hyperscan|regex|yaml|_yaml)/.+\.(py|pyi|typed|so|pyd)",
    r"extension/bundled/libs/cp3\d\d/(hyperscan|regex)\.libs/.+\.(so[.\d]*|dll)",
    r"extension/bundled/libs/(common|cp3\d\d)/[\w.+-]+\.dist-info/(METADATA|licenses/.+|LICEN[CS]E.*|AUTHORS.*|NOTICE.*)",
)
"""What a package may hold; anything else fails the build."""
NEEDED = (
    "extension/extension/dist/extension.js",
    "extension/extension/boot.py",
    "extension/extension/media/icon.png",
    "extension/server/firstfault/_catalog.jsonl",
    "extension/server/firstfault/lsp/server.py",
    "extension/bundled/libs/common/pygls/__init__.py",
    "extension/bundled/libs/cp310/regex/__init__.py",
    "extension/bundled/libs/cp314/hyperscan/__init__.py",
)


def main() -> int:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(description="Builds platform VSIX files into dist/.")
    parser.add_argument("--target", action="append", choices=[*TARGETS, "all"], help="platform; default: that of this machine")
    parser.add_argument("--out", type=Path, default=OUT, help="folder for the VSIX files; default: dist")
    parser.add_argument("--no-bundle", action="store_true", help="take extension/dist/extension.js as it is")
    arguments = parser.parse_args()
    chosen = arguments.target or [own_target() or parser.error("there is no VSIX for this machine; choose one with --target")]
    names = list(TARGETS) if "all" in chosen else list(dict.fromkeys(chosen))
    if not arguments.no_bundle:
        run("node", "extension/esbuild.mjs", "--production")
    catalogue()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in names:
        libraries(TARGETS[name])
        vsix = package(name, arguments.out)
        check(vsix)
        if name == own_target():
            start(vsix)
    return 0


def own_target() -> str | None:
    """The platform of this machine, where there is a package for it."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower())
    name = f"{sys.platform}-{machine}"
    return name if name in TARGETS else None


def run(*command: str) -> None:
    """Run a command in the checkout; its output is shown only when it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command[:4])} … failed with {done.returncode}:\n{done.stdout}{done.stderr}")


def catalogue() -> None:
    """Compile the catalogue, so that the package carries that of the signatures beside it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    command = (sys.executable, "-m", "firstfault.catalog", "signatures", "server/firstfault/_catalog.jsonl")
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
        raise SystemExit("the catalogue could not be compiled")


# --- Libraries --------------------------------------------------------------------------------------------------------


def libraries(target: Target) -> None:
    """Fill bundled/libs for a platform."""
    shutil.rmtree(LIBS, ignore_errors=True)
    # The oldest Python needs all that the newer ones need, and more.
    unpack(fetched(PURE, PYTHONS[0], target), LIBS / "common")
    for python in PYTHONS:
        wheels = fetched(COMPILED, python, target)
        have = {wheel.name.split("-")[0].lower() for wheel in wheels}
        lacking = set(COMPILED) - have
        if lacking:
            print(f"{target.name}: no CPython {python}, which has no wheel of {', '.join(sorted(lacking))}")
        else:
            unpack(wheels, LIBS / f"cp{python.replace('.', '')}")


def fetched(names: tuple[str, ...], python: str, target: Target) -> list[Path]:
    """Wheels by name and hash, for a Python and a platform that need not be those of this machine; fetched once for a lock."""
    lines = {name: locked(name, python, target.system) for name in names}
    key = hashlib.sha256("".join(lines.values()).encode()).hexdigest()[:12]
    folder = WHEELS / f"{target.name}-{python}-{key}"
    if not folder.is_dir():
        WHEELS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=WHEELS) as unfinished:
            whole = Path(unfinished) / "wheels"
            download(list(lines.values()), python, target, whole)
            whole.rename(folder)
    return sorted(folder.glob("*.whl"))


def download(lines: list[str], python: str, target: Target, folder: Path) -> None:
    """Download wheels; a library without one for this Python is left out, and told by whoever needs it."""
    folder.mkdir(exist_ok=True)
    wanted = folder / "requirements.txt"
    wanted.write_text("".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--only-binary=:all:", "--implementation", "cp", "--python-version", python, "--dest", str(folder)]
    for tag in target.tags:
        command += ["--platform", tag]
    done = subprocess.run([*command, "-r", str(wanted)], capture_output=True, text=True, check=False)
    wanted.unlink()
    if done.returncode and "No matching distribution" not in done.stderr:
        raise SystemExit(f"{target.name}, CPython {python}: wheels could not be fetched\n{done.stderr}")
    if done.returncode and len(lines) > 1:
        for line in lines:
            download([line], python, target, folder)


def locked(name: str, python: str, system: str) -> str:
    """The line of the lock for a library. pip evaluates markers for the Python that runs it, so they are evaluated here."""
    for block in re.split(r"\n(?=\S)", LOCK.read_text(encoding="utf-8")):
        match = re.match(rf"{re.escape(name)}==(\S+)\s*(?:;\s*(.+?))?\s*\\\n", block)
        if match and (match[2] is None or Marker(match[2]).evaluate({"python_full_version": f"{python}.0", "sys_platform": system})):
            hashes = re.findall(r"--hash=\S+", block)
            return f"{name}=={match[1]} {' '.join(hashes)}\n"
    raise SystemExit(f"{LOCK.name} does not name {name} for CPython {python} on {system}")


def unpack(wheels: list[Path], folder: Path) -> None:
    """Unpack wheels, without what nobody runs."""
    folder.mkdir(parents=True, exist_ok=True)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if worth_having(name):
                    archive.extract(name, folder)


def worth_having(name: str) -> bool:
    """Code and licences; no tests, scripts or records of the installer."""
    if name.endswith("/") or "/tests/" in name or ".data/" in name or name.endswith((".c", ".h", ".pyx", ".pxd", ".cpp")):
        return False
    if ".dist-info/" in name:
        return bool(re.search(r"\.dist-info/(METADATA$|licenses/|LICEN[CS]E|AUTHORS|NOTICE)", name))
    return True


# --- The package ------------------------------------------------------------------------------------------------------


def package(name: str, folder: Path) -> Path:
    """Pack what the manifest's `files` allow."""
    version = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]
    vsix = folder.resolve() / f"firstfault-{name}-{version}.vsix"
    vsix.unlink(missing_ok=True)
    run("node", "node_modules/@vscode/vsce/vsce", "package", "--target", name, "--no-dependencies", "--allow-missing-repository",
        "--no-rewrite-relative-links", "--readme-path", "extension/README.md", "--out", str(vsix))  # fmt: skip
    return vsix


def check(vsix: Path) -> None:
    """Nothing that is not listed, and nothing missing."""
    with zipfile.ZipFile(vsix) as archive:
        names = archive.namelist()
    problems = list(unlisted(names)) + [f"missing: {name}" for name in NEEDED if name not in names]
    size = vsix.stat().st_size
    if size > MOST_BYTES:
        problems.append(f"{size} bytes are too many")
    if problems:
        raise SystemExit(f"{vsix.name} is not as it should be:\n  " + "\n  ".join(problems[:40]))
    print(f"{vsix.relative_to(ROOT) if vsix.is_relative_to(ROOT) else vsix}: {size / 1e6:.1f} MB, {len(names)} files")


def unlisted(names: list[str]) -> Iterator[str]:
    """What may not be in the package."""
    allowed = re.compile("|".join(f"(?:{pattern})" for pattern in ALLOWED))
    for name in names:
        if not allowed.fullmatch(name):
            yield f"not listed: {name}"


# --- Does it start -----------------------------------------------------------------------------------------------------


def start(vsix: Path) -> None:
    """Start the packed server as the editor does: no environment, no network where that can be had, and a Python whose own
    site-packages are left out."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(vsix) as archive:
        archive.extractall(folder)
        root = Path(folder) / "extension"
        python = getattr(sys, "_base_executable", sys.executable)
        command = [*without_network(), python, "-I", "-S", "-X", "utf8", str(root / "extension" / "boot.py"), "serve"]
        sample = (root / "docs" / "demo" / "eight-ranks.log").read_text(encoding="utf-8")
        began = time.monotonic()
        answer = asked(command, root, [("initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
                                       ("firstfault/diagnose", {"text": sample, "name": "eight-ranks.log"}),
                                       ("shutdown", None)])  # fmt: skip
        summary = answer.get("result", {}).get("report", {}).get("summary", "")
        if not summary.startswith("Rank 5"):
            raise SystemExit(f"{vsix.name} does not start as it should: {answer.get('error', summary)}")
        print(f"starts by itself and answers in {time.monotonic() - began:.1f} s: {summary}")


def asked(command: list[str], root: Path, requests: list[tuple[str, object]]) -> dict[str, Any]:
    """The answer to the second of some requests to a language server."""
    messages = [{"jsonrpc": "2.0", "id": i, "method": method, "params": params} for i, (method, params) in enumerate(requests)]
    messages.insert(1, {"jsonrpc": "2.0", "method": "initialized", "params": {}})
    messages.append({"jsonrpc": "2.0", "method": "exit"})
    with subprocess.Popen(command, cwd=root, env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        if server.stdin is None or server.stdout is None or server.stderr is None:
            raise SystemExit("the server has no pipes")
        for message in messages[:3]:
            send(server.stdin, message)
        answer: dict[str, Any] = {}
        while answer.get("id") != 1:
            header = server.stdout.readline()
            if not header:
                raise SystemExit(f"the packed server ended: {server.stderr.read().decode(errors='replace')[-2000:]}")
            while line := server.stdout.readline().strip():
                header += line
            answer = json.loads(server.stdout.read(int(re.findall(rb"Content-Length: *(\d+)", header)[0])))
        for message in messages[3:]:
            send(server.stdin, message)
        server.stdin.close()
        server.stdout.read()
    return answer


def send(pipe: IO[bytes], message: object) -> None:
    """Write one message of the protocol."""
    body = json.dumps(message).encode()
    pipe.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    pipe.flush()


def without_network() -> list[str]:
    """What is put before a command so that it has no network; nothing where the system does not allow that."""
    cut = ["unshare", "--user", "--map-root-user", "--net"]
    allowed = shutil.which("unshare") and subprocess.run([*cut, "true"], capture_output=True, check=False).returncode == 0
    return cut if allowed else []


if __name__ == "__main__":
    sys.exit(main())
