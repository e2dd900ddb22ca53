"""The base class of the errors of the SDK and of workers: each says how to fix the problem."""

from __future__ import annotations

from typing import Final

_SEE_DOCTOR: Final = "`turnfold doctor` checks everything that Turnfold needs"


class ExplainedError(Exception):
    """Base class of Turnfold's errors."""

    remedy: str = _SEE_DOCTOR
    """How to fix the problem, never empty; a remedy set on the class is not part of `str(error)`."""

    def __init__(self, problem: str = "", *, remedy: str = "") -> None:
        super().__init__(f"{problem}: {remedy}" if remedy else problem)
        self.problem = problem
        """The problem, without the remedy."""
        if remedy:
            self.remedy = remedy
