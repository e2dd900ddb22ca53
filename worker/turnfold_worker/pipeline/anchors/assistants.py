"""Detection of assistants: despite its role, a named assistant that talks with a named person may be a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from turnfold.contract.records import Role
from turnfold_worker.pipeline.turns.reading import Reading

TEXT: Final = 600
"""Length in code points from which a turn is prose, of which only the end can propose something."""


def assists(reading: Reading, speakers: Sequence[str]) -> bool:
    """Check whether a turn is an assistant's; between named speakers only one of `TEXT` length or more is.

    `speakers` are the labels of all speakers in the segment.
    """
    if reading.turn.role is not Role.ASSISTANT:
        return False
    alone = len(speakers) == 1
    return reading.turn.name is None or alone or Role.USER in speakers or len(reading.turn.content) >= TEXT


class Company(NamedTuple):
    """Whether an assistant says a turn, and whether one takes part in the conversation."""

    by_assistant: bool
    with_assistant: bool
    """An assistant is among the speakers of the segment."""


def companies(readings: Sequence[Reading]) -> list[Company]:
    """Return the company of each turn of a segment."""
    speakers = list(dict.fromkeys(reading.speaker for reading in readings if not reading.tool))
    by_assistant = [assists(reading, speakers) for reading in readings]
    # A user without a name talks to an assistant.
    nameless = any(reading.turn.role is Role.USER and reading.turn.name is None for reading in readings)
    with_assistant = nameless or any(by_assistant)
    return [Company(is_assistant, with_assistant) for is_assistant in by_assistant]
