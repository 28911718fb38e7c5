"""The server's log: to standard error, and to the client's log window. Never the text of a document above DEBUG."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from lsprotocol import types

_TYPES = {
    logging.DEBUG: types.MessageType.Debug,
    logging.INFO: types.MessageType.Info,
    logging.WARNING: types.MessageType.Warning,
    logging.ERROR: types.MessageType.Error,
}


class ClientLog(logging.Handler):
    """Sends records to the client. Only our own: pygls logs what it sends, which would never end."""

    def __init__(self, send: Callable[[types.LogMessageParams], None]) -> None:
        super().__init__()
        self._send = send
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record, from whatever thread it comes."""
        message = types.LogMessageParams(_TYPES.get(record.levelno, types.MessageType.Info), record.getMessage())
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._send, message)


def set_up(level: str) -> None:
    """Log to standard error. pygls logs whole messages, with the documents in them, also as errors: only DEBUG shows that."""
    logging.basicConfig(level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if level != "debug":
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
