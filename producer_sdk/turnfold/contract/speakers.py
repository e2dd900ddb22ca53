"""What a speaker is called wherever words are shown: one person, one name, in levels and in contexts."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from turnfold.contract.lookalike_letters import COLONS
from turnfold.contract.lookalikes import is_bracket, is_unseen, passes_for_role, skeleton
from turnfold.contract.records import StoredTurn

MAX_SPEAKER: Final = 40
"""Code points of a speaker's label at most."""

_MARKS: Final = frozenset(f"{COLONS}[]\u2192\uff3d")
"""Colons, brackets and the arrow of our lines, and what looks like them."""
_QUOTES: Final = " (quoted)"


def quoting(label: str) -> str:
    """The label of words that a speaker only shows: somebody else wrote them.

    >>> quoting("Ana")
    'Ana (quoted)'
    """
    return f"{label[: MAX_SPEAKER - len(_QUOTES)].rstrip()}{_QUOTES}"


def speaker_label(turn: StoredTurn) -> str:
    """The speaker as a line may begin with it: one line, a letter first, no colon, no bracket, nobody else's role."""
    return label_of(turn.name, turn.role)


@lru_cache(maxsize=1_024)
def label_of(name: str | None, role: str) -> str:
    """`speaker_label` of a turn with this name and role."""
    named = "".join(c for c in " ".join((name or "")[: 4 * MAX_SPEAKER].split()) if not is_unseen(c))
    label = " ".join("".join(" " if c in _MARKS or is_bracket(c) else c for c in named).split())
    while label and not label[0].isalpha():
        label = label[1:]
    name_alone, _, behind = label.partition("(")
    # A name is not the label of what others are quoted with.
    if skeleton(behind).startswith(skeleton(_QUOTES)):
        label = name_alone
    label = label[:MAX_SPEAKER].rstrip()
    # A name that looks like a role, or like a line of ours, would give its words to somebody else.
    return str(role) if not label or passes_for_role(label) else label
