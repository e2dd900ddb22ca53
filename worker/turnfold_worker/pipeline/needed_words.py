"""Small words that say little, except where a sentence without them would say something else.

`is_needed` is asked about words that a telegraphic text leaves out: 'not just tired' is not 'not tired', 'turn it on'
is not 'turn it', 'my wife and I signed' is not 'my wife signed'.
"""

# ruff: noqa: ARG001 - each rule is given the words, the bare words and the place
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from turnfold_worker.pipeline.common_words import listed

Rule = Callable[[Sequence[str], Sequence[str], int], bool]
"""Of words as they stand, the same bare and in lower case, and a place: True when the word there is needed."""

NUMBER: Final = re.compile(r"^[\W_]{0,2}\d")
"""The beginning of a number."""
_ENDS: Final = re.compile(r"[.,;:!?)]$")
_NEGATIONS: Final = listed("not no never cannot without nothing nobody none nor")
_BE: Final = listed("is are was were be been being am it's i'm he's she's we're they're you're that's get got gets")
_DETERMINERS: Final = listed(
    """
    a an the my our your his her their its it this that these those some any no many much more another them him me us
    you something anything nothing everything one two three four five several few lots
    """
)
_DEGREES: Final = listed(
    """
    just simply so too such very really quite pretty super totally literally definitely certainly absolutely even also
    as exactly much
    """
)
_PARTICLE_VERBS: Final = listed(
    """
    turn turned turns turning switch switched log logged logging sign signed signing plug plugged check checked come
    came keep kept go goes going went move moved moving carry carried hang hold opt opted stay stayed stays lock locked
    check checked hand handed fill filled kick kicked drop dropped break broke give gave put take took bring brought
    call called join joined cut step stepped zoom get got power powered let leave left
    """
)
_BETWEEN_PARTICLES: Final = listed("it them him her me us this that everything the a my our your his their")
_PARTICLE_NEXT: Final = listed("and or again off out")
_MODALS: Final = listed(
    """
    will would can could may might must should shall won't wouldn't can't couldn't shouldn't mustn't cannot i'd you'd
    he'd she'd we'd they'd it'd i'll you'll he'll she'll we'll they'll it'll that'd that'll
    """
)
_TIMES: Final = listed(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december tomorrow tonight noon midnight then next end early late mid spring summer
    autumn winter
    """
)
_ALIKE: Final = listed(
    """
    i you we they he she would don't doesn't didn't not feel feels felt feeling look looks looked sound sounds sounded
    seem seems seemed taste tastes act acts acted is are was were be been it's he's she's they're that's more just
    nothing something anything become becomes became
    """
)
_SWITCHED: Final = listed("on off in out")
_OBJECTS: Final = listed("it them him her this that these those me us you to")
_QUESTION_WORDS: Final = listed("what how when where why who which and or but so")
_POSSESSIVES: Final = listed("my our his her your their the")


def is_needed(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """True for a word whose loss would change what the sentence says."""
    rule = _RULES.get(bare[i])
    return rule is not None and rule(words, bare, i)


def is_negation(word: str) -> bool:
    """True for a word, in lower case with straight apostrophes, that turns a statement round."""
    return word in _NEGATIONS or word.endswith("n't")


def _before(bare: Sequence[str], i: int) -> str:
    return bare[i - 1] if i else ""


def _after(bare: Sequence[str], i: int) -> str:
    return bare[i + 1] if i + 1 < len(bare) else ""


def _ends(words: Sequence[str], i: int) -> bool:
    return i + 1 == len(words) or bool(_ENDS.search(words[i]))


def _denied(bare: Sequence[str], i: int) -> bool:
    """'Not just', 'not even very': without the word the negation would cover what follows."""
    if i and bare[i - 1] in _DEGREES:
        return _denied(bare, i - 1)
    return bool(i) and is_negation(bare[i - 1])


def _degree(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    return not _ends(words, i) and _denied(bare, i)


def _excess(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Too tired to go'; at an end it only means also."""
    return not _ends(words, i) and bool(i)


def _as(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Not as bad as …': both of them."""
    if _degree(words, bare, i):
        return True
    return any(bare[j] == "as" and _denied(bare, j) for j in range(max(0, i - 4), i))


def _particle(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Turn it on', 'log in to the server', 'off and on'; and '1 in 5'."""
    if NUMBER.match(_before(words, i)) and NUMBER.match(_after(words, i)):
        return True
    if (
        _before(bare, i) == "off"
        or (i + 2 < len(bare) and bare[i + 2] == "own")
        or (_before(bare, i) in {"and", "or"} and i > 1 and bare[i - 2] == "off")
    ):
        return True
    verb = i - 1 if i and bare[i - 1] in _PARTICLE_VERBS else i - 2
    if verb < 0 or bare[verb] not in _PARTICLE_VERBS or not (verb == i - 1 or bare[i - 1] in _BETWEEN_PARTICLES):
        return False
    return _ends(words, i) or _after(bare, i) in _PARTICLE_NEXT or _after(bare, i) in {"to", "as", "with", "for", "by"}


def _number_next(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'About 40 people' are not 40."""
    return bool(NUMBER.match(_after(words, i)))


def _of(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'2 of 5'."""
    return bool(NUMBER.match(_after(words, i))) and (bool(NUMBER.match(_before(words, i))) or _before(bare, i) == "out")


def _by(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Sued by Omar', 'by Friday'."""
    return (
        bool(NUMBER.match(_after(words, i)))
        or _after(bare, i) in _TIMES
        or (_after(bare, i) == "the" and i + 2 < len(bare) and bare[i + 2] == "end")
        or not _BE.isdisjoint(bare[max(0, i - 5) : i])
    )


def _at(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'At least', 'at most', 'not at all'."""
    return _after(bare, i) in {"least", "most", "all"}


def _like(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'I like it', 'she is like a sister'."""
    return _before(bare, i) in _ALIKE or _after(bare, i) in _OBJECTS


def _such(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Something like that', 'only those who rest'."""
    return _before(bare, i) == "like" or _after(bare, i) == "who"


def _well(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'It is not going well'; at the beginning it says nothing."""
    return bool(i) and _before(bare, i) not in {"as", "oh"}


def _letter(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Plan A'."""
    return bool(i) and "A" in words[i]


def _own(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'On my own'."""
    return i > 1 and bare[i - 2] == "on"


def _is(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'I know what it is'."""
    return bool(i) and _ends(words, i) and not words[i].endswith("?")


def _does(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """As a verb of its own: 'we did it', 'had them for years'; and before 'not' or 'to'."""
    if _ends(words, i) or _after(bare, i) == "too" or (_before(bare, i) == "to" and bare[i] == "do"):
        return i > 1
    return _after(bare, i) in {"not", "to"} or (_after(bare, i) in _DETERMINERS and not _asks(words, bare, i))


def _asks(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Did you see it?', 'what does it cost?'."""
    return words[-1].endswith("?") and (i == 0 or _before(bare, i) in _QUESTION_WORDS)


def _been(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'They've been …', 'never been there'."""
    before = _before(bare, i)
    return before == "ever" or is_negation(before) or (before.endswith("'ve") and before not in {"i've", "we've"})


def _and(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Ana and I', 'off and on'."""
    if not {"between", "both"}.isdisjoint(bare[max(0, i - 8) : i]):
        return True
    if _before(bare, i) in _SWITCHED and _after(bare, i) in _SWITCHED:
        return True
    if _after(bare, i) not in {"i", "me"} or not i or _ENDS.search(words[i - 1]):
        return False
    named = words[i - 1][:1].isupper() or bare[i - 1] in {"he", "she", "you", "they"}
    return named or (i > 1 and bare[i - 2] in _POSSESSIVES)


def _i(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Ana and I', 'older than I am'."""
    before = _before(bare, i)
    return before == "than" or (before == "and" and _and(words, bare, i - 1))


def _again(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Never do it again'."""
    return any(map(is_negation, bare[max(0, i - 5) : i]))


def _to(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    return (
        bool(NUMBER.match(_after(words, i)))
        or "from" in bare[max(0, i - 5) : i]
        or _before(bare, i) in {"wants", "need", "needs", "have", "has", "had", "not", "used", "been"}
    )


def _be(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'It will be late'."""
    before = _before(bare, i)
    if before in _DEGREES or before in {"still", "probably", "always", "only", "then"}:
        return _be(words, bare, i - 1)
    return before in _MODALS or (bool(i) and is_negation(before))


def _okay(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'He would be OK'; at the beginning it only agrees."""
    return bool(i) and _before(bare, i) not in {"oh", "ok", "okay", "and"}


_RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(_DEGREES, _degree),
    **dict.fromkeys(("do", "does", "did", "have", "has", "had", "having"), _does),
    **dict.fromkeys(("in", "on"), _particle),
    **dict.fromkeys(("about", "around"), _number_next),
    **dict.fromkeys(("ok", "okay"), _okay),
    **dict.fromkeys(("this", "that", "these", "those"), _such),
    **dict.fromkeys(("is", "are", "was", "were"), _is),
    "well": _well,
    "own": _own,
    "a": _letter,
    "too": _excess,
    "as": _as,
    "of": _of,
    "by": _by,
    "at": _at,
    "like": _like,
    "been": _been,
    "and": _and,
    "i": _i,
    "again": _again,
    "to": _to,
    "be": _be,
}
