"""Replies that say something only behind their question, and the question that a turn ends with."""

from __future__ import annotations

from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.rarity import is_feeling
from turnfold_worker.pipeline.language.spoken_verbs import has_verb
from turnfold_worker.pipeline.notes.captions import is_caption
from turnfold_worker.pipeline.notes.phatic import bare_words
from turnfold_worker.pipeline.notes.whole import whole_clause
from turnfold_worker.pipeline.turns.reading import Reading

_SHORT_REPLY: Final = 4
"""Words up to which a reply is stored together with the question before it."""
_SCRAP: Final = 12
"""Those of one without a verb."""
_QUESTION_WORDS: Final = 12
"""Words of a question up to which it stands before the short reply."""
_SELF: Final = listed("i i'm i've i'll i'd my me mine")
_BREAK: Final = lazy_pattern(r" [-–—]+ |; |: ")
_REACTIONS: Final = listed("yay wow woo aww omg pic photo picture looks look sounds thanks appreciate proud sure")
_YES_OR_NO: Final = listed("yes no yep nope yeah nah")
_EDGES: Final = '.,!?;:()"'


def question_at_end(reading: Reading) -> str:
    """The question that a turn ends with, if it is short; a caption may follow it, but nothing else that is said.

    Nothing where two were asked, because nobody knows which one is answered, nor where the one who asks speaks of
    himself, because the words stand beside the other's name.
    """
    if reading.tool:
        return ""
    for place, sentence in enumerate(reversed(reading.sentences[-2:])):
        spoken = plain_line(reading.text(sentence))
        if spoken.endswith("?"):
            earlier = reading.sentences[-2 - place : -1 - place]
            if any(plain_line(reading.text(earlier_sentence)).endswith("?") for earlier_sentence in earlier):
                return ""
            spoken = _BREAK.split(spoken)[-1]
            if not _SELF.isdisjoint(bare_words(spoken)):
                return ""
            words = whole_clause(spoken).rstrip("?").split()
            return " ".join(words) + "?" if len(words) <= _QUESTION_WORDS else ""
        if not is_caption(spoken):
            break
    return ""


def is_bare_answer(spoken: str) -> bool:
    """True for a bare yes or no, which says something after a question."""
    return spoken.lower().strip(" .!,") in _YES_OR_NO


def is_short_reply(spoken: str) -> bool:
    """True for few words that cannot be understood without the question, and are more than how one feels about it."""
    words = [word.strip(_EDGES) for word in spoken.lower().split()]
    short = len(words) <= _SHORT_REPLY or (len(words) <= _SCRAP and not has_verb(spoken))
    return short and not (spoken.endswith("!") and any(map(_reacts, words)))


def _reacts(word: str) -> bool:
    return word in _REACTIONS or is_feeling(word)
