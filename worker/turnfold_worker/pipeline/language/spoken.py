"""Normalizes text for the rules: lower case, and without the fillers and repetitions of speech."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import eq
from typing import Final

from turnfold.contract.bounded_memo import Remembered, remembers_clauses
from turnfold.contract.lazy_patterns import lazy_pattern

QUESTION_MARKS: Final = ("?", "\uff1f", "؟")
_SPACED: Final = tuple((f" {mark}", mark) for mark in ",.?!;:")
"""A space before a punctuation mark, and its replacement."""
_SPLIT: Final = lazy_pattern(r" ?' ?(?=(?:s|ll|m|re|ve|d|t)\b)")
_FILLER: Final = "u[hm]{1,4}|e[hr]m?|m{2,6}|hm{1,4}"
_FILLERS: Final = lazy_pattern(rf"(?<!\w)(?:{_FILLER}|uh-huh|mm-hmm)(?!\w)[,.]?\s?|\b\w{{1,3}}- ?(?=\w)")
_IS_FILLER: Final = Remembered(lambda spoken: re.search(rf"(?<!\w)(?:{_FILLER})(?!\w)", spoken) is not None)
_OPEN_END: Final = lazy_pattern(
    r"(?:(?<!\w)(?:a|an|the|my|your|our|their|and|or|but|because|if|i|i'll|i'm|we|we'll|of|to|for|with|from|as|into|"
    r"very)|\w-)[ ,]*$"
)
_QUOTED: Final = lazy_pattern(r"[\"“”«»`][^\"“”«»`]{0,400}(?:[\"“”«»`]|$)|(?<!\w)'[^']{3,400}'(?!\w)")
_SPOKEN: Final = lazy_pattern(r"[\w']+")
_REPEATED: Final = lazy_pattern(r"(?<![\w'])([\w']{1,12})(?: \1){1,6}(?![\w'])")
_ABOUT: Final = (
    r"you|we|i|they|he|she|it|there|this|that|these|those|the|your|my|our|their|his|her|any\w{0,4}|some\w{3,5}"
)
_PERSON: Final = "you|we|i|they|he|she|it|there|anybody|anyone|somebody|someone"
_HELPS: Final = "is|are|was|were|do|does|did|have|has|had|can|could|would|will|should|shall"
_PUT_AS_QUESTION: Final = lazy_pattern(
    r"(?:(?:so|and|but|or|oh|well|ok|okay|yeah|yes|no|right|now|then|like|hey|hi|actually|also)[,.!]? ){0,3}(?:"
    rf"(?:what|who|whom|whose|where|when|how|why)(?:'s| (?:{_HELPS})(?:n't)?) (?:{_ABOUT})|"
    rf"(?:what|which|whose) (?!(?:{_PERSON}|this|that)\b)\w{{1,15}} (?:of \w{{1,15}} )?(?:{_HELPS}) (?:{_ABOUT})|"
    r"how (?:many|much|long|often|far|big|soon|old|fast|high|exactly|else) "
    rf"(?:\w{{1,15}} ){{0,2}}(?:{_HELPS}) (?:{_ABOUT})|"
    rf"(?:is|are|am|does|did|isn't|aren't|wasn't|doesn't|didn't) (?:{_ABOUT})|"
    r"do (?:you|we|i|they|[a-z]{1,6}body)|"
    rf"(?:have|can|could|would|will|shall|don't|haven't|can't|couldn't|wouldn't|won't|shouldn't) (?:{_PERSON})"
    r")(?!\w)"
)
"""A clause in question order: the verb before its subject."""


@remembers_clauses
def plain_words(text: str) -> str:
    """Normalize to lower case on one line, with straight apostrophes and no space before a comma or in `I ' ll`."""
    words = " ".join(text.lower().replace("\u2019", "'").split())
    if " '" in words or "' " in words:
        words = _SPLIT.sub("'", words)
    for spaced, mark in _SPACED:
        words = words.replace(spaced, mark)
    return words


@lru_cache(maxsize=1_024)
def without_quotes(text: str) -> str:
    """Replace quotations in a text by an ellipsis: they may be the words of another person.

    >>> without_quotes('The sign says "closed" today')
    'The sign says  …  today'
    """
    return _QUOTED.sub(" … ", text)


@remembers_clauses
def without_fillers(speech: str) -> str:
    """Remove the fillers ('uh') and the repeated words of speech."""
    spoken = _SPOKEN.findall(speech)
    # Most speech has neither fillers nor repeated words, and checking its words is cheaper than running the regexes.
    if "-" in speech or any(map(_IS_FILLER.__getitem__, spoken)):
        speech = _FILLERS.sub("", speech)
        spoken = _SPOKEN.findall(speech)
    speech = " ".join(speech.replace("o_k", "ok").split())
    return _REPEATED.sub(r"\1", speech) if any(map(eq, spoken, spoken[1:])) else speech


@lru_cache(maxsize=1_024)
def is_question(sentence: str) -> bool:
    """True for a sentence that ends in a question mark, or, as in transcribed speech, has the word order of a question.

    >>> is_question("where is the gate"), is_question("where the gate is")
    (True, False)
    """
    end = sentence.rstrip("\"')*_ ")
    return end.endswith(QUESTION_MARKS) or (not end.endswith("!") and _PUT_AS_QUESTION.match(sentence) is not None)


def breaks_off(sentence: str) -> bool:
    """True for a sentence whose last word needs another one: 'I'll give you the', 'do we have a th-'.

    >>> breaks_off("could you hand me the"), breaks_off("could you hand it over")
    (True, False)
    """
    return _OPEN_END.search(sentence) is not None
