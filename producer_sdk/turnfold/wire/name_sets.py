"""Validation of names and enumeration members from callers."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from turnfold.errors import InvalidInput

_Member = TypeVar("_Member", bound=StrEnum)


def members(name: str, kind: type[_Member], wanted: Iterable[_Member | str] | None) -> frozenset[_Member]:
    """Parse the enumeration members that a caller names; None means all. Raises `InvalidInput` for an unknown one."""
    if wanted is None:
        return frozenset(kind)
    try:
        return frozenset(map(kind, names(name, wanted)))
    except ValueError as error:
        raise InvalidInput(f"{error}", remedy=f"use {', '.join(kind)}") from error


def names(name: str, wanted: object) -> frozenset[str]:
    """Parse a name or several. Raises `InvalidInput` for anything else."""
    if isinstance(wanted, str):
        return frozenset([wanted])
    given: list[object] = list(wanted) if isinstance(wanted, Iterable) else [wanted]
    texts = [each for each in given if isinstance(each, str)]
    if not isinstance(wanted, Iterable) or len(texts) < len(given):
        raise InvalidInput(f"{name} must be a list of names, or None for all, not {wanted!r}")
    return frozenset(texts)
