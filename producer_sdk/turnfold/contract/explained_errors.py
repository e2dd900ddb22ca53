"""Errors that say what to do: the base of the SDK's tree and of the workers'."""

from __future__ import annotations

from typing import Final

_SEE_DOCTOR: Final = "`turnfold doctor` checks everything that Turnfold needs"


class ExplainedError(Exception):
    """What the errors of the SDK and of workers share."""

    remedy: str = _SEE_DOCTOR
    """What to do about it: never empty. Where a class says it for all of its errors, `str(error)` leaves it out."""

    def __init__(self, problem: str = "", *, remedy: str = "") -> None:
        super().__init__(f"{problem}: {remedy}" if remedy else problem)
        self.problem = problem
        """What is wrong, without the remedy."""
        if remedy:
            self.remedy = remedy
