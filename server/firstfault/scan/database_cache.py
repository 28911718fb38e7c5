"""Keeps compiled pattern databases in the user's cache folder."""

import os
import sys
from typing import NamedTuple

MOST_STORED = 32
"""Databases that are kept; one of the built-in catalogue has half a megabyte."""


class DatabaseCache(NamedTuple):
    """A folder of compiled databases; a folder that cannot be used is as good as an empty one."""

    folder: str

    @staticmethod
    def of_user() -> "DatabaseCache":
        """The cache of the user, as the platform wants it."""
        if sys.platform == "win32":
            root = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
        elif sys.platform == "darwin":
            root = os.path.expanduser("~/Library/Caches")
        else:
            root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        return DatabaseCache(os.path.join(root, "firstfault"))

    def read(self, key: str) -> bytes | None:
        """A stored database, or None."""
        try:
            with open(self._path(key), "rb") as file:
                return file.read()
        except OSError:
            return None

    def write(self, key: str, data: bytes) -> None:
        """Store a database; a reader never sees half of it."""
        temporary = self._path(f"{key}.{os.getpid()}")
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with open(temporary, "wb") as file:
                file.write(data)
            os.replace(temporary, self._path(key))
            self._tidy()
        except OSError:
            return

    def _tidy(self) -> None:
        """Keep the newest: each state of a signature under work makes a database of its own."""
        stored = [e for e in os.scandir(self.folder) if e.name.startswith("patterns-")]
        for old in sorted(stored, key=lambda e: e.stat().st_mtime_ns, reverse=True)[MOST_STORED:]:
            os.remove(old.path)

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, f"patterns-{key}.bin")
