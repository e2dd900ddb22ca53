"""Who is an assistant: whatever its role says, one with a name that talks with a named person may be a person too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from turnfold.contract.records import Role
from turnfold_worker.pipeline.turns.reading import Reading

TEXT: Final = 600
"""Code points from which a turn is a text, of which only the end proposes something."""


def assists(reading: Reading, speakers: Sequence[str]) -> bool:
    """Whether a turn is an assistant's: in a talk of two with names, only what is as long as a text is taken for one.

    `speakers` are the labels of all who speak in the segment.
    """
    if reading.turn.role is not Role.ASSISTANT:
        return False
    alone = len(speakers) == 1
    return reading.turn.name is None or alone or Role.USER in speakers or len(reading.turn.content) >= TEXT


class Company(NamedTuple):
    """Who says a turn, and to whom."""

    by_assistant: bool
    with_assistant: bool
    """An assistant is among the speakers of the segment."""


def companies(readings: Sequence[Reading]) -> list[Company]:
    """The company of each turn of a segment."""
    speakers = list(dict.fromkeys(reading.speaker for reading in readings if not reading.tool))
    by_assistant = [assists(reading, speakers) for reading in readings]
    # Who talks without a name talks to an assistant.
    nameless = any(reading.turn.role is Role.USER and reading.turn.name is None for reading in readings)
    with_assistant = nameless or any(by_assistant)
    return [Company(is_assistant, with_assistant) for is_assistant in by_assistant]
