"""What a check says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from turnfold.errors import TurnfoldError, Unavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One check and what came of it."""

    check: str
    ok: bool
    detail: str
    remedy: str = ""
    """What to do; empty when all is well."""


def judged(check: str, *, ok: bool, detail: str, remedy: str) -> Finding:
    """A finding whose remedy is only shown when there is a problem."""
    return Finding(check=check, ok=ok, detail=detail, remedy="" if ok else remedy)


def attempted(name: str, look: Callable[[], list[Finding]]) -> list[Finding]:
    """What a group of checks found; that it could not look is a finding too."""
    try:
        return look()
    except TurnfoldError as error:
        remedy = "start it, or correct its URL" if isinstance(error, Unavailable) else "see the message"
        return [Finding(check=name, ok=False, detail=str(error), remedy=remedy)]
