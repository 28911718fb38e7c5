"""Starts Firstfault from inside the extension: with the bundled libraries that fit this interpreter, and nothing installed.

The editor runs it as `python -I boot.py serve`. Isolated mode keeps the workspace off `sys.path`, so that a file there cannot
take the place of a module; what is needed is added here, first of all.
"""

import os
import sys

UNFIT = 3
"""Exit code for "this interpreter does not fit"; the reason is on standard error."""
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBS = os.path.join(ROOT, "bundled", "libs")


def fitting() -> list[str]:
    """The folders of bundled libraries for this interpreter; none in a checkout, where they are installed."""
    if not os.path.isdir(LIBS):
        return []
    major, minor = sys.version_info[:2]
    native = os.path.join(LIBS, f"cp{major}{minor}")
    if sys.implementation.name != "cpython" or not os.path.isdir(native):
        bundled = ", ".join(f"3.{name[3:]}" for name in sorted(os.listdir(LIBS)) if name.startswith("cp3"))
        sys.stderr.write(f"this is {sys.implementation.name} {major}.{minor}; Firstfault carries its libraries for CPython {bundled}\n")
        sys.exit(UNFIT)
    return [native, os.path.join(LIBS, "common")]


def main() -> int:
    """Run the command line."""
    sys.path[:0] = [os.path.join(ROOT, "server"), *fitting()]
    from firstfault.cli.main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
