"""Small words that say little, except where a sentence without them would say something else.

`is_needed` is asked about words that a telegraphic text leaves out: 'not just tired' is not 'not tired', 'turn it on'
is not 'turn it', 'my wife and I signed' is not 'my wife signed'.
"""

# ruff: noqa: ARG001 - each rule is given the words, the bare words and the place
from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.word_places import DEGREES, NUMBER, Rule, after, before, ends, is_negation
from turnfold_worker.pipeline.notes.needed_pointers import POINTERS
from turnfold_worker.pipeline.notes.needed_verbs import VERBS

_BE: Final = listed("is are was were be been being am it's i'm he's she's we're they're you're that's get got gets")
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
_TIMES: Final = listed(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december tomorrow tonight noon midnight then next end early late mid spring summer
    autumn winter
    """
)
_TELLS: Final = listed("it's it is was all mostly")
_SWITCHED: Final = listed("on off in out")
_BEFORE_TO: Final = listed("drawn lost close next new attached opposed sold proposed up kind")
_PARTS: Final = listed("none half out")
_COUNTS: Final = listed("a an one two three four five six seven eight nine ten few couple")
_SPANS: Final = listed("second minute hour day week month year")
_BEFORE_NOW: Final = listed("for right until till by from up even just")
_BEFORE_EVEN: Final = listed("a an or odd is are was be if")
_AFTER_EVEN: Final = listed("number numbers if though when as or odd without after with at for in on")
_EXISTS: Final = listed("is are was were has have had will would can a an")
_NO_NAMES: Final = listed("the a an my our")
_POSSESSIVES: Final = listed("my our his her your their the")


def is_needed(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """True for a word whose loss would change what the sentence says."""
    rule = _RULES.get(bare[i])
    return (rule is not None and rule(words, bare, i)) or (words[i][0].isupper() and _is_name(words, bare, i))


def _is_name(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Let's Encrypt', 'It Takes Two'."""
    return i > 0 and len(words[i]) > 1 and bare[i] not in _NO_NAMES and after(words, i)[:1].isupper()


def _denied(bare: Sequence[str], i: int) -> bool:
    """'Not just', 'not even very': without the word the negation would cover what follows."""
    if i and bare[i - 1] in DEGREES:
        return _denied(bare, i - 1)
    return bool(i) and is_negation(bare[i - 1])


def _degree(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    return not ends(words, i) and _denied(bare, i)


def _excess(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Too tired to go'; at an end it only means also."""
    return not ends(words, i) and bool(i)


def _as(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Not as bad as …', 'work as a nurse', 'suggested as'; 'as well' is only also."""
    return after(bare, i) != "well"


def _such(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Tasks such as editing', 'not such a fool'."""
    return after(bare, i) == "as" or _degree(words, bare, i)


def _quite(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Quite a bit' is more than a bit."""
    return after(bare, i) in {"a", "some"} or _degree(words, bare, i)


def _much(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'How much to save'; 'so much' says nothing."""
    return before(bare, i) not in {"so", "very", "pretty"} or _denied(bare, i)


def _even(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'An even number', 'even if'; 'even better' is better."""
    return before(bare, i) in _BEFORE_EVEN or after(bare, i) in _AFTER_EVEN or _denied(bare, i)


def _still(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'I still paint', 'still life'."""
    return not words[i].endswith(",")


def _now(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'For now', 'right now', 'now targets March'."""
    return before(bare, i) in _BEFORE_NOW or (bool(i) and after(bare, i).endswith("s"))


def _then(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Back then' is not back."""
    return before(bare, i) in {"back", "since", "until", "till", "by"}


def _while(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'It took a while'."""
    return before(bare, i) == "a"


def _there(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Been there', 'there for me'; 'there is' says nothing."""
    return bool(i) and after(bare, i) not in _EXISTS and before(bare, i) not in _EXISTS


def _particle(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Turn it on', 'log in to the server', 'off and on'; '1 in 5', 'in 3 days'."""
    if NUMBER.match(before(words, i)) and NUMBER.match(after(words, i)):
        return True
    if bare[i] == "in" and _is_span(words, bare, i + 1):
        return True
    if (
        before(bare, i) == "off"
        or (i + 2 < len(bare) and bare[i + 2] == "own")
        or (before(bare, i) in {"and", "or"} and i > 1 and bare[i - 2] == "off")
    ):
        return True
    verb = i - 1 if i and bare[i - 1] in _PARTICLE_VERBS else i - 2
    if verb < 0 or bare[verb] not in _PARTICLE_VERBS or not (verb == i - 1 or bare[i - 1] in _BETWEEN_PARTICLES):
        return False
    return ends(words, i) or after(bare, i) in _PARTICLE_NEXT or after(bare, i) in {"to", "as", "with", "for", "by"}


def _is_span(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'3 days', 'a week', from that place on."""
    if i + 1 >= len(bare):
        return False
    counts = bool(NUMBER.match(words[i])) or bare[i] in _COUNTS
    return counts and bare[i + 1].removesuffix("s") in _SPANS


def _number_next(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'About 40 people' are not 40; 'it's about a woman' is not she."""
    return bool(NUMBER.match(after(words, i))) or (bool(i) and bare[i - 1] in _TELLS)


def _of(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'2 of 5', 'none of them'."""
    if before(bare, i) in _PARTS:
        return True
    return bool(NUMBER.match(after(words, i))) and (bool(NUMBER.match(before(words, i))) or before(bare, i) == "out")


def _by(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Sued by Omar', 'by Friday'."""
    return (
        bool(NUMBER.match(after(words, i)))
        or after(bare, i) in _TIMES
        or (after(words, i)[:1].isupper() and bool(i))
        or (after(bare, i) == "the" and i + 2 < len(bare) and bare[i + 2] == "end")
        or not _BE.isdisjoint(bare[max(0, i - 5) : i])
    )


def _at(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'At least', 'at most', 'not at all'."""
    return after(bare, i) in {"least", "most", "all"}


def _like(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'I like it', 'she is like a sister'."""
    return bool(i) and not words[i].endswith(",") and not words[i - 1].endswith(",")


def _well(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'It is not going well'; at the beginning it says nothing."""
    return bool(i) and before(bare, i) not in {"as", "oh"}


def _letter(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Plan A', 'quite a bit', 'a few'."""
    return bool(i) and ("A" in words[i] or before(bare, i) == "quite" or after(bare, i) in {"few", "little"})


def _own(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'On my own'."""
    return i > 1 and bare[i - 2] == "on"


def _and(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Electronic and rock', 'Ana and I went', 'off and on'."""
    if i and i + 1 < len(words) and not ends(words, i - 1) and ends(words, i + 1):
        return not after(bare, i).endswith(("ed", "ing"))
    if not {"between", "both"}.isdisjoint(bare[max(0, i - 8) : i]):
        return True
    if before(bare, i) in _SWITCHED and after(bare, i) in _SWITCHED:
        return True
    if after(bare, i) not in {"i", "me"} or not i or ends(words, i - 1):
        return False
    named = words[i - 1][:1].isupper() or bare[i - 1] in {"he", "she", "you", "they"}
    return named or (i > 1 and bare[i - 2] in _POSSESSIVES)


def _i(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Ana and I', 'older than I am'."""
    one = before(bare, i)
    return one == "than" or (one == "and" and _and(words, bare, i - 1))


def _again(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Never do it again'."""
    return any(map(is_negation, bare[max(0, i - 5) : i]))


def _to(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'10 to 15', 'lost to Ana', 'prefer tea to coffee'."""
    if before(bare, i) in _BEFORE_TO or (
        i > 1 and any(word.startswith("prefer") for word in bare[max(0, i - 4) : i - 1])
    ):
        return True
    return (
        bool(NUMBER.match(after(words, i)))
        or after(bare, i) == "be"
        or "from" in bare[max(0, i - 5) : i]
        or before(bare, i) in {"wants", "need", "needs", "have", "has", "had", "not", "used", "been"}
    )


def _okay(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'He would be OK'; at the beginning it only agrees."""
    return bool(i) and before(bare, i) not in {"oh", "ok", "okay", "and"}


def _thanks(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'Thanks for the advice' is not advice."""
    return "for" in bare[i + 1 : i + 5]


def _times(words: Sequence[str], bare: Sequence[str], i: int) -> bool:
    """'4/52 * 3/51'."""
    return 0 < i < len(words) - 1 and words[i] == "*"


_RULES: Final[dict[str, Rule]] = {
    "": _times,
    **dict.fromkeys(("thanks", "thank"), _thanks),
    **dict.fromkeys(DEGREES, _degree),
    **dict.fromkeys(("on", "in"), _particle),
    **dict.fromkeys(("about", "around"), _number_next),
    **dict.fromkeys(("ok", "okay"), _okay),
    **POINTERS,
    "such": _such,
    "quite": _quite,
    "much": _much,
    "even": _even,
    "still": _still,
    "now": _now,
    "there": _there,
    "then": _then,
    "while": _while,
    "well": _well,
    "own": _own,
    "a": _letter,
    "too": _excess,
    "as": _as,
    "of": _of,
    "by": _by,
    "at": _at,
    "like": _like,
    "and": _and,
    "i": _i,
    "again": _again,
    "to": _to,
    **VERBS,
}
