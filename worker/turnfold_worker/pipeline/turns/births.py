"""When the speakers of a segment were born, as far as they tell it there: their ages are times then."""

from __future__ import annotations

from collections.abc import Sequence

from turnfold.contract.periods import Period
from turnfold.dates.ages import birth_of, tells_an_age
from turnfold_worker.pipeline.language.spoken import without_quotes
from turnfold_worker.pipeline.turns.reading import Reading


def births_of(readings: Sequence[Reading]) -> dict[str, Period]:
    """By speaker; the narrowest that each tells of himself. None where no turn tells a time by an age."""
    births: dict[str, Period] = {}
    if not any(tells_an_age(reading.turn.content) for reading in readings):
        return births
    for reading in readings:
        for span in () if reading.tool else reading.sentences:
            born = None if reading.is_pasted(span) else birth_of(without_quotes(reading.text(span)), reading.day)
            known = births.get(reading.speaker)
            if born is not None and born.days and (known is None or born.days < known.days):
                births[reading.speaker] = born
    return births
