"""Exceptions that carry a sentence a user can act on."""

from __future__ import annotations


class FirstfaultError(Exception):
    """Base of every error that is reported in one line, with exit code 2."""


class UnreadableInputError(FirstfaultError, OSError):
    """An input that cannot be opened or read."""


class UsageError(FirstfaultError, ValueError):
    """A request that makes no sense as given."""


class SignatureError(FirstfaultError, ValueError):
    """A catalogue file that breaks a rule; `line` and `column` are 1-based places in that file."""

    def __init__(self, path: str, message: str, *, line: int = 1, column: int = 1) -> None:
        super().__init__(f"{path}:{line}:{column}: {message}")
        self.path = path
        self.message = message
        self.line = line
        self.column = column
