"""Restatements with another value and a word for now: 'the dog sleeps in the kitchen these days'.

They end what the same speaker said in the same words, or in others for the same relation (`rules.relation_rules`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import STEMS
from turnfold_worker.pipeline.anchors.rules import frame_rules, turnover_rules
from turnfold_worker.pipeline.anchors.statements.frames import clauses_of, stems_in_order
from turnfold_worker.pipeline.anchors.statements.temporal_scope import only_then, sometimes_only
from turnfold_worker.pipeline.anchors.statements.turnovers import is_state
from turnfold_worker.pipeline.language.common_words import is_common, listed
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes

_LONGEST: Final = 160
_MOST: Final = 5
"""Maximum number of words of a value, including its article."""
_LEAST: Final = 3
"""Minimum number of words of a statement: subject, verb and value."""
_SINCE_NOW: Final = (
    r"as (?:of|from) (?:this|today|now|last)(?: \w+)?|since (?:this|last|yesterday|today)(?: \w+)?|"
    r"from (?:today|now)(?: on)?|from this \w+ on"
)
_NOW: Final = lazy_pattern(
    rf"(?<!\w)(?:(?<!just )(?<!right )(?<!by )(?<!for )(?<!until )(?<!till )now(?! (?:that|and (?:then|again))(?!\w))|"
    rf"nowadays|these days|from now on|currently|at present|instead(?! of)|{_SINCE_NOW})(?!\w)"
)
_AT_END: Final = lazy_pattern(rf" (?:{_SINCE_NOW})$")
_PREPOSITIONS: Final = listed("in at on from with to by via under under behind near for through into onto")
_UNTOLD: Final = listed(
    "it this that these those there he she they you who which what everybody everyone nobody and or but"
)
"""Words with which a clause depends on other clauses or is about several things."""


def _stemmed(verbs: str) -> frozenset[str]:
    """Return the stems of the present forms of verbs, which may differ: 'like' and 'likes'."""
    return frozenset(
        STEMS[form] for verb in verbs.split() for form in (verb, f"{verb}s", f"{verb.removesuffix('e')}ing")
    )


_MOMENTARY: Final = _stemmed("need want see feel think look wait hear wonder hope try know mean guess")
_OF_MANY: Final = _MOMENTARY | _stemmed(
    "love like hate speak understand own collect sell make cook watch get find buy read"
)
"""Verbs for which a new object says nothing about the previous one."""
_PROGRESSIVE: Final = lazy_pattern(r"(?<!\w)(?:is|are|am) (?=[a-z]{2,20}ing(?!\w))")
_HAS_ONE: Final = lazy_pattern(r"(?<!\w)(?:have|has|got) (?:an?|some|another|been)(?!\w)")
"""Possessions that may be one of several ('we have a dog now') and perfect forms, which are not about the present."""
_KEPT: Final = frozenset({"is", "are", "am", "will", "have", "has", "to", "the"})
"""Words that other comparisons drop but that mark here where a value begins."""
_DETERMINERS: Final = frozenset({"the", "my"})
_WHERE: Final = frozenset({"in", "on", "under", "behind", "near"})
"""Prepositions that mark a place before a definite noun: 'in the greenhouse', 'on the balcony'."""
_MANY_DO: Final = (
    _OF_MANY
    | _KEPT
    | _stemmed("""
    visit attend join watch use play eat drink prefer enjoy live miss take wear follow support remember do go come stay
    sleep sit meet study learn hear pay admire choose
""")
)
"""Things several people can do with one object, so that a new subject says nothing about the previous one."""
_TELL_OF_OTHERS: Final = (frame_rules.NEGATION, frame_rules.BESIDE, _HAS_ONE)
_SPEAKERS: Final = frozenset({"i"})


def says_now(text: str) -> bool:
    """Check whether a short text states something as true from now on or of late.

    >>> says_now("Our dog sleeps in the kitchen these days."), says_now("I'm cooking right now.")
    (True, False)
    """
    return len(text) <= _LONGEST and _NOW.search(plain_words(without_quotes(text))) is not None and bool(_stated(text))


def restates_otherwise(new: str, old: str) -> bool:
    """Check whether a text with a word for now repeats an earlier one of its speaker with another value in one place.

    >>> restates_otherwise("Our dog sleeps in the kitchen these days.", "Our dog sleeps in the hall.")
    True
    >>> restates_otherwise("Our cat sleeps in the hall now.", "Our dog sleeps in the hall.")
    False
    """
    if max(len(new), len(old)) > _LONGEST or is_question(old) or not says_now(new):
        return False
    said, said_before = plain_words(new), plain_words(old)
    if sometimes_only(said, said_before) or only_then(said, said_before):
        return False
    return any(_is_otherwise(later, earlier, new, old) for later in _stated(new) for earlier in _stated(old))


@lru_cache(maxsize=1_024)
def _stated(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the clauses that plainly assert a state, as stems with auxiliaries kept."""
    stated = []
    for clause, place_before in clauses_of(text):
        clause_now = _PROGRESSIVE.sub("", _AT_END.sub("", clause))
        if place_before or any(pattern.search(clause_now) for pattern in _TELL_OF_OTHERS) or not is_state(clause_now):
            continue
        stems = tuple(
            stem for word in clause_now.split() for stem in ((word,) if word in _KEPT else stems_in_order(word))
        )
        if len(stems) >= _LEAST and _UNTOLD.isdisjoint(stems):
            stated.append(stems)
    return tuple(stated)


def _is_otherwise(later: Sequence[str], earlier: Sequence[str], new: str, old: str) -> bool:
    same = [word for word, _ in takewhile(lambda pair: pair[0] == pair[1], zip(later, earlier, strict=False))]
    rest = (later[len(same) :], earlier[len(same) :])
    behind = [word for word, _ in takewhile(lambda pair: pair[0] == pair[1], zip(*map(reversed, rest), strict=False))]
    behind.reverse()
    changed = [words[: len(words) - len(behind)] for words in rest]
    if not all(0 < len(words) <= _MOST for words in changed):
        return False
    if not (set(changed[0]) - _DETERMINERS).isdisjoint(changed[1]):
        return False
    if not same:
        return _does_instead(changed, behind, new, old)
    if not any(len(word) > 2 and not is_common(word) for word in (*same, *behind)):
        return False
    return _is_a_value(changed, same, behind)


def _is_a_value(changed: Sequence[Sequence[str]], same: Sequence[str], behind: Sequence[str]) -> bool:
    """Check whether the differing words are the object of a verb and nothing after them changes their role."""
    if behind and behind[0] not in _PREPOSITIONS and not all(any(map(str.isdigit, words[0])) for words in changed):
        return False
    led_by = next((word for word in reversed(same) if word not in _DETERMINERS), "")
    if led_by in _PREPOSITIONS or all(words[0] in _WHERE and words[1:2] == ("the",) for words in changed):
        return len(same) > 1 and _MOMENTARY.isdisjoint(same)
    if all(any(map(str.isdigit, words[0])) for words in changed):
        return _OF_MANY.isdisjoint(same)
    # 'I've been playing for a month' and 'I'm playing chess' are about two things.
    is_object = all(words[0] not in _PREPOSITIONS for words in changed)
    return is_object and same[0] in _SPEAKERS and len(same) > 1 and _OF_MANY.isdisjoint(same)


def _does_instead(changed: Sequence[Sequence[str]], behind: Sequence[str], new: str, old: str) -> bool:
    """Check for a new person in a one-person task: 'Tea keeps the kitty from now on' after 'Sven keeps the kitty'."""
    names = all(frame_rules.is_name(" ".join(words), text) for words, text in zip(changed, (new, old), strict=True))
    is_task = behind[1:2] == ["the"] and behind[0] not in _MANY_DO
    return names and len(behind) > 1 and (is_task or turnover_rules.ROLE.match(" ".join(behind)) is not None)
