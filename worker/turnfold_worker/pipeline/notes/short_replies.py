"""Find replies that say something only with their question, and the question at the end of a turn."""

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
"""Maximum words of a reply that is stored together with the question before it."""
_SCRAP: Final = 12
"""The same limit for a reply without a verb."""
_QUESTION_WORDS: Final = 12
"""Maximum words of a question that is put before a short reply."""
_ASKS_UNMARKED: Final = lazy_pattern(
    r"(?i)(?:(?:and|so|but|ok|well) )?(?:what|when|where|why|who|how|which)"
    r"(?: (?!(?:he|i|it|she|they|we|you)\b)[\w-]+)?"
    r"(?:['\u2019](?:s|re)| (?:is|are|was|were|do|does|did|will|would|can|could|should|have|has))"
    r" (?:you|we|they|he|she|it)\b[^.!?,:;]*$"
)
"""A typed question without its mark: 'when do you start'."""
_SELF: Final = listed("i i'm i've i'll i'd my me mine")
_BREAK: Final = lazy_pattern(r" [-–—]+ |; |: ")
_REACTIONS: Final = listed("yay wow woo aww omg pic photo picture looks look sounds thanks appreciate proud sure")
_YES_OR_NO: Final = listed("yes no yep nope yeah nah")
_EDGES: Final = '.,!?;:()"'


def question_at_end(reading: Reading) -> str:
    """Return the short question that a turn ends with, else an empty text; only a caption may follow the question.

    Empty if two questions were asked, as either may be answered, and if the question is about its speaker, as its 'I'
    would be put next to the other speaker's name.
    """
    if reading.tool:
        return ""
    for place, sentence in enumerate(reversed(reading.sentences[-2:])):
        spoken = plain_line(reading.text(sentence))
        if spoken.endswith("?") or _ASKS_UNMARKED.match(spoken):
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
    """Return whether a reply is a bare yes or no, which says something only after a question."""
    return spoken.lower().strip(" .!,") in _YES_OR_NO


def is_short_reply(spoken: str) -> bool:
    """Return whether a reply is too short to be understood without its question, and is no mere reaction."""
    words = [word.strip(_EDGES) for word in spoken.lower().split()]
    short = len(words) <= _SHORT_REPLY or (len(words) <= _SCRAP and not has_verb(spoken))
    return short and not (spoken.endswith("!") and any(map(_reacts, words)))


def _reacts(word: str) -> bool:
    return word in _REACTIONS or is_feeling(word)
