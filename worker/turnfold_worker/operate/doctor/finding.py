"""The result of a check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from turnfold.errors import TurnfoldError, Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A check and its result."""

    check: str
    ok: bool
    detail: str
    remedy: str = ""
    """How to fix the problem; empty when the check passes."""


def judged(check: str, *, ok: bool, detail: str, remedy: str) -> Finding:
    """Make a finding whose remedy is dropped when the check passes."""
    return Finding(check=check, ok=ok, detail=detail, remedy="" if ok else remedy)


def attempted(name: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """Run a group of checks; when it raises a `TurnfoldError`, return the error as a finding."""
    try:
        return look()
    except TurnfoldError as error:
        remedy = "start the server, or correct its URL" if isinstance(error, Unavailable) else "see the message"
        return [Finding(check=name, ok=False, detail=str(error), remedy=remedy)]
