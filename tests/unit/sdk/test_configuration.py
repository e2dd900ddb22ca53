"""`configure` accepts only valid values, and the later of several calls wins."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import InvalidInput
from turnfold.contract.configuration import (
    FOLD_SETTINGS,
    MAX_GOAL_CHARACTERS,
    configuration,
    merged,
    settlement_read,
)
from turnfold.contract.text import clean


def body(**given: Any) -> dict[str, Any]:
    values = {"goal": None, "constraints": None, "settings": None, **given}
    decoded: dict[str, Any] = json.loads(configuration(**values))
    return decoded


def test_only_what_was_given_is_sent() -> None:
    assert body(goal="a booking service") == {"goal": "a booking service"}
    assert body(constraints=["no AWS"]) == {"constraints": ["no AWS"]}
    assert body(constraints=[]) == {"constraints": []}
    assert body(settings={"segment_max_turns": 20}) == {"settings": {"segment_max_turns": 20}}


def test_the_same_configuration_has_the_same_bytes() -> None:
    first = configuration(goal="g", constraints=None, settings={"segment_max_turns": 20, "gap_minutes": 5})
    second = configuration(goal="g", constraints=None, settings={"gap_minutes": 5, "segment_max_turns": 20})
    assert first == second


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "nothing to configure"),
        ({"settings": {}, "goal": ""}, "goal must be non-empty text"),
        ({"goal": " "}, "goal must be non-empty text"),
        ({"goal": 5}, "goal must be non-empty text"),
        ({"goal": "x" * 2_001}, "at most 2000 characters long, not 2001"),
        ({"title": " "}, "title must be non-empty text"),
        ({"title": "x" * 201}, "at most 200 characters long, not 201"),
        ({"constraints": "no AWS"}, "constraints must be a list of texts"),
        ({"constraints": {"no AWS"}}, "constraints must be a list of texts"),
        ({"constraints": ["no AWS", ""]}, "a constraint must be non-empty text"),
        ({"constraints": [5]}, "a constraint must be non-empty text"),
        ({"constraints": ["x"] * 33}, "constraints must be at most 32, not 33"),
        ({"settings": ["segment_max_turns"]}, "settings must be a dict"),
        ({"settings": {"segment_size": 5}}, "unknown setting 'segment_size': use one of segment_max_turns"),
        ({"settings": {5: 5}}, "unknown setting 5"),
        ({"settings": {"gap_minutes": "5"}}, "gap_minutes must be a number from 1 to"),
        ({"settings": {"gap_minutes": True}}, "gap_minutes must be a number"),
        ({"settings": {"gap_minutes": math.nan}}, "gap_minutes must be a number"),
        ({"settings": {"deduplicate_above": 1.01}}, "deduplicate_above must be a number from 0.5 to 1, not 1.01"),
        ({"settings": {"anchor_threshold": 101}}, "anchor_threshold must be a number from 0 to 100, not 101"),
        ({"settings": {"residual_share": -0.1}}, "residual_share must be a number from 0 to 1, not -0.1"),
    ],
)
def test_a_bad_value_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        body(**given)


@pytest.mark.parametrize("name", FOLD_SETTINGS)
def test_each_settings_bounds_are_allowed_and_nothing_beyond_them(name: str) -> None:
    least, most = FOLD_SETTINGS[name]
    assert body(settings={name: least}) == {"settings": {name: least}}
    assert body(settings={name: most}) == {"settings": {name: most}}
    for beyond in (least - 0.001, most + 0.001):
        with pytest.raises(InvalidInput, match=name):
            body(settings={name: beyond})


def test_nul_and_lone_surrogates_become_the_replacement_character() -> None:
    assert body(goal="a\x00b\ud800", constraints=["c\udfff"]) == {"goal": "a\ufffdb\ufffd", "constraints": ["c\ufffd"]}


def test_a_change_replaces_what_it_names_and_leaves_the_rest() -> None:
    before = {"goal": "old", "constraints": ["a"], "settings": {"gap_minutes": 5, "segment_max_turns": 9}}
    assert merged(before, {"goal": "new", "settings": {"gap_minutes": 7}}) == {
        "goal": "new", "constraints": ["a"], "settings": {"gap_minutes": 7, "segment_max_turns": 9},
    }  # fmt: skip
    assert merged({}, {"constraints": []}) == {"constraints": []}
    assert before["settings"] == {"gap_minutes": 5, "segment_max_turns": 9}


def test_what_is_unknown_in_a_change_is_not_taken_over() -> None:
    assert merged({}, {"goal": "g", "version": 2}) == {"goal": "g"}


_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_names = st.sampled_from([*FOLD_SETTINGS, "unknown"])


@given(st.none() | _anything, st.none() | _anything, st.none() | _anything | st.dictionaries(_names, _anything))
def test_anything_is_stored_as_it_was_meant_or_refused(goal: Any, constraints: Any, settings: Any) -> None:
    try:
        stored = body(goal=goal, constraints=constraints, settings=settings)
    except InvalidInput:
        return
    assert stored.keys() == {
        name
        for name, given in (("goal", goal), ("constraints", constraints), ("settings", settings))
        if given is not None
    }
    if goal is not None:
        assert stored["goal"] == clean(goal)
        assert 0 < len(goal) <= MAX_GOAL_CHARACTERS
    if constraints is not None:
        assert stored["constraints"] == [clean(one) for one in constraints]
    for name, value in stored.get("settings", {}).items():
        least, most = FOLD_SETTINGS[name]
        assert least <= value <= most


_settings = st.dictionaries(st.sampled_from(list(FOLD_SETTINGS)), st.integers(200, 210), max_size=3)
_changes = st.fixed_dictionaries(
    {}, optional={"goal": st.text(), "constraints": st.lists(st.text()), "settings": _settings}
)


@given(st.lists(_changes, max_size=5))
def test_a_later_change_wins_and_the_same_change_again_changes_nothing(changes: list[dict[str, Any]]) -> None:
    force: dict[str, Any] = {}
    for change in changes:
        force = merged(force, change)
        assert merged(force, change) == force
        assert all(force[key] == change[key] for key in ("goal", "constraints") if key in change)
        assert change.get("settings", {}).items() <= force.get("settings", {}).items()
        assert list(force) == sorted(force)
    assert force.keys() == set().union(*changes)


@given(st.binary(max_size=40) | _anything.map(lambda value: json.dumps(value).encode()))
def test_any_body_of_a_settlement_is_read_or_refused(raw: bytes) -> None:
    try:
        found = settlement_read(raw)
    except InvalidInput:
        return
    assert found["state"] in {"resolved", "dismissed"}
