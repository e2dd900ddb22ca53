"""Detect a note that affirms what its turns mention only as denied or ended: 'eats' for 'stopped eating'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold_worker.pipeline.language.word_forms import forms
from turnfold_worker.pipeline.refinement.claims import says_something, sentences_of, statements_of, words_of
from turnfold_worker.pipeline.refinement.negations import (
    AFFIRMS,
    DEEDS,
    FACTIVE,
    LEANS_AWAY,
    NO,
    OPEN,
    QUOTED,
    REACH,
    UNTRUE,
    WISHES,
    without_emphasis,
)

_ENDS: Final = r"stop(?:s|ped|ping)?|quit|(?:gave|giv(?:e|es|en|ing)) up(?: on)?|no longer"
_WITHHELD: Final = lazy_pattern(
    rf"(?i)(?<!\w)(?:(?:{NO}|{_ENDS}|instead of|rather than)(?!\w)"
    r"|(?:refus|declin)\w+(?= to\s)|(?:forbid\w*|forbade)(?= (?:\w+ ){1,3}to\s)"
    r"|(?:against|avoid(?:s|ed|ing)?|rul\w{1,3} out)(?= \w{2,20}ing(?!\w)))"
)
_UNTRUE_THAT: Final = lazy_pattern(
    rf"(?i)(?<!\w)(?<!t )(?<!no )(?<!never )(?:doubt(?:s|ed)?|den(?:y|ies|ied)|{UNTRUE})(?: to say)? that(?!\w)"
)
"""What says, before a statement, that it is not true."""
_THAT_IS_UNTRUE: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:claim|story|rumou?r|allegation|report|idea|statement|talk) that(?P<said> [^.!?;\n]{3,160}?)"
    rf" (?:is|was) (?:(?:a|an|all|just|simply|plainly|pure) ){{0,2}}(?:{UNTRUE})(?!\w)"
)
"""A statement followed by the words that it is not true."""
_PARTLY: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:many|much|enough|all|every\w*|often|always|a lot|more|less|only|just|until|till|since|before|as"
    r"|than|far|bad|sure|wrong|again|other|else|like|except|but|believe|too|so(?! far)|that|what|how|why|where|who|if"
    r"|because)(?!\w)"
)
"""Words that keep a denial from covering all of what follows."""
_LEANS: Final = lazy_pattern(
    rf"(?i)(?<!\w)(?:{_ENDS}|free|without|former\w*|end(?:s|ed)?|ago|last|until|used to|over|against|may|might|could"
    rf"|would|should|first|{UNTRUE})(?!\w)"
)
"""Words by which a note presents something as denied, ended or only possible."""
_GIVEN_UP: Final = lazy_pattern(
    r"(?i)(?<!\w)(?:was|were|had|i|we|he|she|they) (?:going|planning|about|planned|meant|intended|hoping|hoped"
    r"|tried) to"
    r"(?P<plan> [^.!?]{3,120}?),? but (?:then )?(?:i |we |he |she |they )?(?:had to |have )?"
    r"(?:gave|given|give|changed|dropped|decided (?:not|against)|cancel\w+|abandon\w+|never|stopped)(?!\w)"
)
"""A plan that was given up."""
_DOES_IT: Final = lazy_pattern(r"(?i)(?<!\w)(?:do|does|did|done|doing) (?:it|that|this|so|too)(?!\w)")
"""Another person doing what was denied before: 'Ana does it'."""
_IT: Final = lazy_pattern(r"(?i)(?<!\w)(?:it|it['\u2019]s|they|them|ones?)(?!\w)")
_USED_TO: Final = lazy_pattern(
    r"(?i)(?<!\w)(?<!am )(?<!is )(?<!are )(?<!was )(?<!get )(?<!got )(?<!were )used to (?P<verb>[a-z]{3,20})(?!\w)"
)
"""A past habit: 'he used to write the tests'."""
_DIGITS: Final = lazy_pattern(r"\d+")


def affirms_what_was_withheld(note: str, told: Sequence[str]) -> bool:
    """Return whether an affirmative statement has a word that occurs in its turns only where it is denied.

    `told` are the texts of the turns that a note cites.
    """
    spoken: set[str] = set()
    withheld: set[str] = set()
    for text in told:
        said_here, withheld_here = _words_of(text)
        spoken |= said_here
        withheld |= withheld_here
    if not _USED_TO.search(note) and any(
        re.search(rf"(?i)(?<!\w){habit['verb']}e?s(?!\w)", note) for text in told for habit in _USED_TO.finditer(text)
    ):
        return True
    only = withheld - spoken
    if not only or LEANS_AWAY.search(note) or _LEANS.search(note):
        return False
    return any(
        bool(only & shape) and not spoken & shape
        for statement in statements_of(note)
        if not (WISHES.search(statement) or OPEN.search(statement))
        for shape in _shapes(statement)
    )


@lru_cache(maxsize=256)
def _words_of(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the forms of the words that a text asserts, and of those that it denies."""
    spoken: set[str] = set()
    withheld: set[str] = set()
    is_done = _DOES_IT.search(text) is not None
    text = _THAT_IS_UNTRUE.sub(r" not\g<said>. ", QUOTED.sub(" ", without_emphasis(text)))
    for sentence in sentences_of(_UNTRUE_THAT.sub(" not ", text)):
        if _IT.search(sentence):
            # An 'it' may go on to speak of what was denied.
            spoken |= withheld
        for plan in _GIVEN_UP.finditer(sentence):
            withheld.update(*_shapes(plan["plan"]))
        sentence = _GIVEN_UP.sub(" ", sentence)  # noqa: PLW2901 - the rest of the sentence
        asks = sentence.rstrip().endswith("?")
        for statement in statements_of(sentence):
            clause = AFFIRMS.sub(" ", statement)
            match = None if asks or is_done else _WITHHELD.search(clause)
            reach = REACH.split(clause[match.end() :])[0] if match else ""
            if match is None or _PARTLY.search(reach) or FACTIVE.match(reach):
                spoken.update(*_shapes(clause))
                continue
            spoken.update(*_shapes(clause[: match.start()]), *_shapes(clause[match.end() + len(reach) :]))
            withheld.update(*_shapes(reach))
    return frozenset(spoken), frozenset(withheld)


def _shapes(text: str) -> Iterator[frozenset[str]]:
    """Yield the forms of each content word or deniable verb, and each number."""
    yield from (forms(word.text) for word in words_of(text) if says_something(word.text) or word.text in DEEDS)
    yield from (frozenset([number]) for number in _DIGITS.findall(text))
