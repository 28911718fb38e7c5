"""Keeps compiled pattern databases in the user's cache folder."""

import os
import sys
from typing import NamedTuple


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
        except OSError:
            return

    def _path(self, key: str) -> str:
        return os.path.join(self.folder, f"patterns-{key}.bin")
