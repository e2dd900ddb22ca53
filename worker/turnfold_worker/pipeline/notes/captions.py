"""Attach a picture's caption to the clause that shows the picture: 'Here's our latest work' says little alone."""

from __future__ import annotations

import re
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.notes.phatic import bare_words

_CAPTION: Final = lazy_pattern(
    r"^\[?(?:shares|shared|sends|posts)?\s*(?:a |an )?(?:photo|image|picture|video)\b", re.IGNORECASE
)
_SHOWS: Final = lazy_pattern(
    r"(?i)^(?:here's|here is|here are) |\b(?:latest|newest) (?:one|work|piece|project)\b"
    r"|\b(?:this|these)(?=$|[,.!]| (?:one|is|was|are|were|when|after|before|last|in|on|at|for|with|\w+day)\b)"
    r"|\b(?:made|painted|drew|built|bought|got|finished|took|did|baked|cooked|designed|wrote) (?:it|one|them|some)\b"
)
_POINTS: Final = lazy_pattern(r"(?i)(?:(?:take|have) a look|look|check)\b")
_MOST_POINTING: Final = 5
_MOST_WORDS: Final = 16
"""Maximum words of a clause to attach a caption to: a longer one says what it is about."""


def is_caption(clause: str) -> bool:
    """Return whether a clause is the description of a picture that a chat has in its place."""
    return _CAPTION.match(clause) is not None


def only_points(clause: str) -> bool:
    """Return whether a clause only points to a picture: after 'Take a look at this', the caption says everything."""
    return _POINTS.match(clause) is not None and len(bare_words(clause)) <= _MOST_POINTING


def shown_with(clause: str, caption: str) -> str | None:
    """Return the clause with the caption of the picture that it shows; None if it shows none.

    >>> shown_with("Here's our latest work", "photo: a palm tree at sunset")
    "Here's our latest work (photo: a palm tree at sunset)"
    >>> shown_with("Take a look at this", "photo: a palm tree at sunset")
    >>> shown_with("We moved to Bern", "photo: a palm tree at sunset")
    """
    shows = _SHOWS.search(clause) and not only_points(clause) and not clause.endswith("?") and "(" not in clause
    return f"{clause} ({caption})" if shows and len(bare_words(clause)) <= _MOST_WORDS else None
