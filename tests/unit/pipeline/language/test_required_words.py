"""A rule that is skipped could not have matched, in texts drawn from the words of the patterns themselves."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from turnfold.contract.lazy_patterns import LazyPattern
from turnfold_worker.pipeline.anchors.rules import (
    attribute_rules,
    courtesy_rules,
    frame_rules,
    relation_rules,
    reply_rules,
    statement_rules,
    wanted_rules,
)
from turnfold_worker.pipeline.anchors.statements import moves, value_changes
from turnfold_worker.pipeline.language.required_words import PatternIndex, required_words

MODULES = (statement_rules, reply_rules, courtesy_rules, wanted_rules, value_changes)
RULES = statement_rules.RULES
PATTERNS = [
    *(rule.pattern for rule in RULES),
    *(one for module in MODULES for one in vars(module).values() if isinstance(one, LazyPattern)),
    *(pattern for _, pattern in (*attribute_rules.ONE_AT_A_TIME, *attribute_rules.SAID_ONLY)),
    *(pattern for _, pattern, _ in frame_rules.FRAMES),
    *(pattern for _, pattern in value_changes._CHANGES),
    *moves._WAYS,
]
INDEX = PatternIndex(lambda: (pattern.pattern for pattern in PATTERNS))
# Words and fragments of words from the patterns: fragments may be mistaken for whole words.
PIECES = sorted({word for pattern in PATTERNS for word in re.findall(r"[a-z]+", pattern.pattern)})
JOINTS = [" ", " ", " ", " ", ", ", "'", "-", "", ". ", "_", " 7 ", "é"]
talk = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(JOINTS)), max_size=14).map(
    lambda pairs: "".join(piece + joint for piece, joint in pairs)
)


def matching(text: str) -> set[int]:
    return {place for place, pattern in enumerate(PATTERNS) if pattern.search(text)}


@given(talk)
def test_every_pattern_that_matches_is_worth_trying(text: str) -> None:
    assert matching(text) <= set(INDEX.worth_trying(text))


@given(st.integers(0, len(RULES) - 1), talk, talk)
def test_a_rule_that_holds_on_its_example_among_other_words_is_tried(place: int, before: str, after: str) -> None:
    text = f"{before}{RULES[place].example.lower()}{after}"
    assume(RULES[place].pattern.search(text))
    assert place in INDEX.worth_trying(text)


@given(talk, st.integers(0, 13))
def test_a_text_that_may_tell_of_a_change_holds_one_of_the_words_of_that(text: str, upper: int) -> None:
    text = text[:upper].upper() + text[upper:]
    assert value_changes._may_tell(text) == (value_changes._MAY_TELL.search(text) is not None)


@given(talk)
def test_a_clause_is_put_in_one_relation_as_if_every_word_of_it_were_looked_at(text: str) -> None:
    one_by_one = relation_rules._WORDS.sub(lambda match: relation_rules._NAMES[(match.lastindex or 1) - 1], text)
    assert relation_rules.in_one_relation(text) == one_by_one


def test_a_rule_is_tried_on_its_example() -> None:
    assert RULES
    for place, rule in enumerate(RULES):
        assert place in INDEX.worth_trying(rule.example.lower())


def test_places_come_in_order_and_few_are_tried_on_plain_talk() -> None:
    places = INDEX.worth_trying("the seats of the blue van were cleaned by omar")

    assert places == sorted(places)
    assert len(places) < len(PATTERNS) / 4


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"(?<!\w)(?:colou?r|shade)(?!\w)", {"color", "colour", "shade"}),
        (r"^will do\b", {"will", "do"}),
        (r"(?:very ){0,3}odd(?!\w)", {"odd"}),
        (r"(?<!\w)a .{1,9} zebra(?!\w)", {"a", "zebra"}),
        (r"(?<!\w)please\W{0,3}$", {"please"}),
        (r"(?<!\w)metric(?= units)", {"metric"}),
        (r"(?<=[.!] )never(?!\w)", {"never"}),
    ],
)
def test_one_of_the_words_is_in_every_match(pattern: str, words: set[str]) -> None:
    found = required_words(pattern).keys()

    assert found <= words
    if pattern.startswith(("(?<", "^")):
        assert found


def test_of_too_many_ways_those_are_told_apart_that_hold_words() -> None:
    verbs, days = ("|".join(f"{'in'[number % 2]}{kind}{number}" for number in range(100)) for kind in ("verb", "day"))

    assert set(required_words(rf"(?<!\w)(?:{verbs}) (?:\d+|{days})(?!\w)")) == set(verbs.split("|"))
    assert set(required_words(rf"(?<!\w)(?:\d+|{days}) (?:{verbs})(?!\w)")) == set(verbs.split("|"))


def test_no_rule_is_tried_on_a_text_without_words() -> None:
    assert PatternIndex(lambda: (rule.pattern.pattern for rule in RULES)).worth_trying("") == []


def test_a_second_word_is_asked_for_where_every_such_match_has_one() -> None:
    index = PatternIndex(lambda: [r"(?<!\w)(?:you|we) promised(?!\w)"])

    assert index.worth_trying("we promised") == [0]
    assert index.worth_trying("they promised") == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"zebra",
        r"zebra(?!\w)",
        r"(?<!\w)zebra",
        r"(?<!\w)zeb\w+",
        r"\d+ (?:x|\w*)",
        r"(?i:Zebra) ",
        r"(a)\1",
        r"[^z]bra",
        r"(?<!\w)zebra(?=s| )",
        r"(?<!\w)zebra(?=)",
        r"(?<=a|[.] )zebra(?!\w)",
    ],
)
def test_a_word_that_may_go_on_is_no_whole_word(pattern: str) -> None:
    assert not required_words(pattern)
