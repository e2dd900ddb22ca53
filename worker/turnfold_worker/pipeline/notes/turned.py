"""Detect clauses after a "but" that reverse the one before, which alone would give the wrong picture.

"I've tried the eager loading" seems to say that it worked unless "but it didn't help" follows. A clause that only asks
further, "but I'm not sure how to test it", reverses nothing.
"""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.prose import Span

_CONTRASTS: Final = lazy_pattern(
    r"(?i)(?:(?:and|or) )?(?:but|yet|however|unfortunately|except(?: that)?|only)[,:]? "
    r"(?!(?:thank|thanks|please|hey)\b)"
)
_ASKS_ON: Final = lazy_pattern(
    r"(?i)(?:(?:then|now|also|still|just|honestly|currently),? )*"
    r"(?:(?:how|what|where|which|why|who|can|could|would|do|does|did|is|are|should|any)\b"
    r"|i(?:'m| am|'ve been| have been)? (?:also |still |just |really |always |a bit |a little )*"
    r"(?:(?:un|not (?:really |quite |entirely |so |exactly |completely )*)sure (?:about |of )?(?:how|what|where|which"
    r"|why|when|who|whether|if (?!it|this|that))"
    r"|(?:don't|do not) (?:really )?(?:know|understand|get|see) (?:how|what|where|which|why|when|who|whether|if)"
    r"|(?:can't|cannot) wait|wonder\w*|curious|(?:want|need|like|love|hope)\b|'?d (?:like|love|prefer)"
    r"|(?:having|have) (?:\w+ )?(?:trouble|difficulty|time) (?:figuring|understanding|deciding|knowing)))"
)
"""A next wish or question after the word of contrast."""
_REFERS: Final = lazy_pattern(
    r"(?i)(?:(?:then|now|so far|apparently|actually|somehow|later|in the end|after (?:that|\w+ing)),? )*"
    r"(?:(?:it|this|that|they|these|those|he|she)\b(?!'s (?:ok|okay|fine|all right|worth)\b)|(?:then|now|later)\b)"
)
_TURNS: Final = lazy_pattern(
    r"(?i)\b(?:not|never|no|none|nothing|nobody|cannot|neither|without|still|only|instead|unless|\w+n't"
    r"|fail\w*|errors?|wrong|trouble|issues?|problems?|stuck|broke|broken|crash\w*|worse|lost|cancel\w*|had to"
    r"|used to)\b"
)


def turns_round(content: str, clause: Span) -> bool:
    """Return whether a clause retracts, limits or changes what the clause before says.

    >>> turned = "but it didn't help"
    >>> turns_round(turned, Span(0, len(turned)))
    True
    >>> asked = "but I'm not sure how to test it"
    >>> turns_round(asked, Span(0, len(asked)))
    False
    """
    contrast = _CONTRASTS.match(content, *clause)
    if contrast is None:
        return False
    contrasted = content[contrast.end() : clause.end].replace("\u2019", "'")
    if _ASKS_ON.match(contrasted):
        return False
    return bool(_REFERS.match(contrasted) or _TURNS.search(contrasted))
