"""What a speaker is called wherever words are shown: one person, one name, in levels and in contexts."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from turnfold.contract.records import StoredTurn

MAX_SPEAKER: Final = 40
"""Code points of a speaker's label at most."""

UNSEEN: Final = dict.fromkeys((*range(32), 127, 8203, 65279, *range(8234, 8239), *range(8294, 8298)))
"""Control characters and marks that reorder text: they could make a line say something else than it does."""


_QUOTES: Final = " (quoted)"


def quoting(label: str) -> str:
    """The label of words that a speaker only shows: somebody else wrote them.

    >>> quoting("Ana")
    'Ana (quoted)'
    """
    return f"{label[: MAX_SPEAKER - len(_QUOTES)].rstrip()}{_QUOTES}"


def speaker_label(turn: StoredTurn) -> str:
    """The speaker as a line may begin with it: one line, a letter first, no colon, no bracket."""
    return label_of(turn.name, turn.role)


@lru_cache(maxsize=1_024)
def label_of(name: str | None, role: str) -> str:
    """`speaker_label` of a turn with this name and role."""
    named = " ".join((name or "")[: 4 * MAX_SPEAKER].split()).translate(UNSEEN)
    label = " ".join("".join(" " if c in ":[]→" else c for c in named).split())
    while label and not label[0].isalpha():
        label = label[1:]
    return label[:MAX_SPEAKER].rstrip() or str(role)
