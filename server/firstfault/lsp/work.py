"""The threads that scan, and the engine that they share."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from firstfault.catalog.problem import Problem
from firstfault.engine import Engine
from firstfault.lsp.catalogs import load_with
from firstfault.lsp.settings import Settings

T = TypeVar("T")
_THREADS = 3
"""Enough for a document to be scanned while a folder is; the scanning itself takes turns."""


class Workbench:
    """Runs work off the loop, with the engine that the settings ask for."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="firstfault")
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._problems: tuple[Problem, ...] = ()
        self._folders: tuple[str, ...] = ()
        self.root: str | None = None

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """The result of some work, done on a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: work(*arguments))

    def engine(self) -> Engine:
        """The engine; made when it is first needed."""
        with self._lock:
            if self._engine is None:
                loaded = load_with(self._folders, self.root)
                self._engine, self._problems = Engine(loaded.catalog), loaded.problems
            return self._engine

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong in the user's signature folders."""
        return self._problems

    def configure(self, settings: Settings, *, reload: bool = False) -> bool:
        """Use other signature folders; True when the engine has to be made anew."""
        with self._lock:
            if settings.signature_folders == self._folders and not reload:
                return False
            self._folders = settings.signature_folders
            self._engine = None
            return True

    def close(self) -> None:
        """Let no further work begin."""
        self._pool.shutdown(wait=False, cancel_futures=True)
