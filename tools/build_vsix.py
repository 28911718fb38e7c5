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
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

try:
    from packaging.markers import Marker
except ModuleNotFoundError:
    from pip._vendor.packaging.markers import Marker  # the environment of a plain `python3 -m venv` has only this one

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-dev.lock"
LIBS = ROOT / "bundled" / "libs"
OUT = ROOT / "dist"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
PURE = ("attrs", "cattrs", "exceptiongroup", "lsprotocol", "pygls", "typing-extensions")
COMPILED = ("hyperscan", "pyyaml", "regex", "zstandard")
OPTIONAL = frozenset(("zstandard",))
"""Compiled libraries that Firstfault can do without, where a platform has no wheel of them."""
MOST_BYTES = 60 * 1024 * 1024


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
    r"extension/bundled/libs/cp3\d\d/(hyperscan|regex|yaml|zstandard|_yaml)/.+\.(py|pyi|typed|so|pyd)",
    r"extension/bundled/libs/cp3\d\d/(hyperscan|regex|zstandard)\.libs/.+\.(so[.\d]*|dll)",
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
    chosen = arguments.target or [own_target()]
    names = list(TARGETS) if "all" in chosen else list(dict.fromkeys(chosen))
    if not arguments.no_bundle:
        run("node", "extension/esbuild.mjs", "--production")
    catalogue()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in names:
        libraries(TARGETS[name])
        check(package(name, arguments.out))
    return 0


def own_target() -> str:
    """The platform of this machine."""
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower())
    name = f"{sys.platform}-{machine}"
    if name not in TARGETS:
        raise SystemExit(f"there is no VSIX for {name}; choose one with --target: {', '.join(TARGETS)}")
    return name


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
    with tempfile.TemporaryDirectory() as folder:
        wheels = Path(folder)
        fetch(PURE, "3.10", target, wheels / "common")
        unpack(wheels / "common", LIBS / "common")
        for python in PYTHONS:
            name = "cp" + python.replace(".", "")
            fetch(COMPILED, python, target, wheels / name)
            have = {f.name.split("-")[0].lower() for f in (wheels / name).glob("*.whl")}
            lacking = set(COMPILED) - have - OPTIONAL
            if lacking:
                print(f"{target.name}: no CPython {python}, which has no wheel of {', '.join(sorted(lacking))}")
            else:
                unpack(wheels / name, LIBS / name)


def fetch(names: tuple[str, ...], python: str, target: Target, folder: Path) -> None:
    """Download wheels by name and hash, for a Python and a platform that need not be those of this machine."""
    folder.mkdir(parents=True)
    for name in names:
        wanted = folder / f"{name}.txt"
        wanted.write_text(locked(name, python, target.system), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps", "--require-hashes"]
        command += ["--only-binary=:all:", "--implementation", "cp", "--python-version", python, "--dest", str(folder)]
        for tag in target.tags:
            command += ["--platform", tag]
        done = subprocess.run([*command, "-r", str(wanted)], capture_output=True, text=True, check=False)
        if done.returncode and (name in PURE or "No matching distribution" not in done.stderr):
            raise SystemExit(f"{target.name}, CPython {python}: {name} could not be fetched\n{done.stderr}")


def locked(name: str, python: str, system: str) -> str:
    """The line of the lock for a library. pip evaluates markers for the Python that runs it, so they are evaluated here."""
    for block in re.split(r"\n(?=\S)", LOCK.read_text(encoding="utf-8")):
        match = re.match(rf"{re.escape(name)}==(\S+)\s*(?:;\s*(.+?))?\s*\\\n", block)
        if match and (match[2] is None or Marker(match[2]).evaluate({"python_full_version": f"{python}.0", "sys_platform": system})):
            hashes = re.findall(r"--hash=\S+", block)
            return f"{name}=={match[1]} {' '.join(hashes)}\n"
    # Needed by older Pythons alone, and the pure libraries are shared: that of any marker is taken.
    match = re.search(rf"^{re.escape(name)}==(\S+) ;.*\\\n((?:\s+--hash=\S+ ?\\?\n)+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    if match is None:
        raise SystemExit(f"{LOCK.name} does not name {name}")
    return f"{name}=={match[1]} {' '.join(re.findall(r'--hash=\\S+', match[2]))}\n"


def unpack(wheels: Path, folder: Path) -> None:
    """Unpack wheels, without what nobody runs."""
    folder.mkdir(parents=True, exist_ok=True)
    for wheel in sorted(wheels.glob("*.whl")):
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
        "--no-rewrite-relative-links", "--out", str(vsix))  # fmt: skip
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


if __name__ == "__main__":
    sys.exit(main())
