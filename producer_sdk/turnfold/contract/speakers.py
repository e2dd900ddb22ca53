"""Labels of speakers, the same for a speaker in all levels and contexts."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from turnfold.contract.lookalike_letters import COLONS
from turnfold.contract.lookalikes import is_bracket, is_unseen, passes_for_role, skeleton
from turnfold.contract.records import StoredTurn

MAX_SPEAKER: Final = 40
"""Maximum code points of a speaker's label."""

_MARKS: Final = frozenset(f"{COLONS}[]\u2192\uff3d")
"""Colons, brackets and the arrow of our own lines, with lookalikes."""
_QUOTES: Final = " (quoted)"


def quoting(label: str) -> str:
    """Return the label for words that a speaker only quotes.

    >>> quoting("Ana")
    'Ana (quoted)'
    """
    return f"{label[: MAX_SPEAKER - len(_QUOTES)].rstrip()}{_QUOTES}"


def speaker_label(turn: StoredTurn) -> str:
    """Return a speaker's label for a line: a letter first, no colon or bracket, not mistakable for another role."""
    return label_of(turn.name, turn.role)


@lru_cache(maxsize=1_024)
def label_of(name: str | None, role: str) -> str:
    """Return the `speaker_label` of a turn with a name and role."""
    named = "".join(c for c in " ".join((name or "")[: 4 * MAX_SPEAKER].split()) if not is_unseen(c))
    label = " ".join("".join(" " if c in _MARKS or is_bracket(c) else c for c in named).split())
    while label and not label[0].isalpha():
        label = label[1:]
    name_alone, _, behind = label.partition("(")
    # Keep names from ending like the label of quoted words.
    if skeleton(behind).startswith(skeleton(_QUOTES)):
        label = name_alone
    label = label[:MAX_SPEAKER].rstrip()
    # A name that looks like a role, or like one of our own lines, would attribute the words to somebody else.
    return str(role) if not label or passes_for_role(label) else label
