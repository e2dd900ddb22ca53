"""Sections of a system text are chosen by flags and priority within a budget, and keep the order given."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.talk import talk
from turnfold import InvalidBudget, InvalidInput, Section
from turnfold.assemble import Request, SystemText, request_of, system_text
from turnfold.assemble.policy import BALANCED
from turnfold.tokens import ESTIMATOR, caller_counter
from turnfold_worker.offline import fold

FLAGS = ("tools", "error", "team")
COUNTERS = (ESTIMATOR, caller_counter(lambda text: -(-len(text) // 3)))

flags = st.frozensets(st.sampled_from(FLAGS))


@st.composite
def sections(draw: st.DrawFn) -> list[Section]:
    return [
        Section(
            name=f"s{i}",
            text=f"s{i} " + "word " * draw(st.integers(0, 60)) + draw(st.sampled_from(["", "\n", "\nmore\n\n"])),
            when=draw(flags), unless=draw(flags), priority=draw(st.integers(-2, 2)), required=draw(st.booleans()),
            short=draw(st.none() | st.just(f"short s{i}")),
        )
        for i in range(draw(st.integers(0, 7)))
    ]  # fmt: skip


def needed(made: Callable[[int | None], SystemText], budget: int | None) -> int | None:
    try:
        made(budget)
    except InvalidBudget as error:
        return error.needed_tokens
    return None


@examples(300)
@given(
    given_sections=sections(), held=flags, budget=st.none() | st.integers(0, 300),
    optional=st.none() | st.integers(0, 200), counter=st.sampled_from(COUNTERS),
)  # fmt: skip
def test_required_before_optional_within_the_budget_in_the_order_given(
    given_sections: list[Section], held: frozenset[str], budget: int | None, optional: int | None, counter: Any
) -> None:
    allowed = [one for one in given_sections if one.when <= held and not one.unless & held]
    required = {one.name for one in allowed if one.required}

    def made(budget: int | None) -> SystemText:
        return system_text(given_sections, flags=held, budget_tokens=budget, optional_tokens=optional, counter=counter)

    least = needed(made, budget)
    if least is not None:
        assert budget is not None
        assert least > budget
        enough = made(least)
        assert required <= set(enough.sections)
        assert enough.tokens <= least
        return
    found = made(budget)
    assert found.tokens == (counter.count(found.text) if found.text else 0)
    assert budget is None or found.tokens <= budget
    assert required <= set(found.sections)
    if optional is not None and found.tokens > optional:
        assert set(found.sections) == required
    # In the order given, each once, all accounted for.
    assert [one.name for one in allowed if one.name in found.sections] == list(found.sections)
    assert {*found.sections, *found.left_out} == {one.name for one in allowed}
    assert re.findall(r"^(?:short )?(s\d)", found.text, re.MULTILINE) == list(found.sections)
    if budget is None and optional is None:
        assert found.left_out == found.shortened == ()


def test_more_important_sections_are_given_room_first() -> None:
    text = "word " * 20
    listed = [
        Section(name=name, text=f"{name} {text}", priority=p) for name, p in (("low", 1), ("high", 9), ("mid", 5))
    ]
    one = system_text(listed[:1]).tokens
    assert system_text(listed, budget_tokens=one + 5).sections == ("high",)
    two = system_text(listed, budget_tokens=2 * one + 5)
    assert (two.sections, two.left_out) == (("high", "mid"), ("low",))


def test_a_section_that_does_not_fit_gives_way_to_its_short_text() -> None:
    section = Section(name="tools", text="Use the tools. " * 50, short="Use tools.", when=frozenset({"tools"}))
    found = system_text([section], flags={"tools"}, budget_tokens=30)
    assert (found.text, found.shortened) == ("Use tools.\n", ("tools",))
    required = Section(name="core", text="Be kind. " * 50, short="Be kind.", required=True)
    assert system_text([required], budget_tokens=30).text == "Be kind.\n"


def test_flags_may_be_a_set_or_a_dict_and_a_single_one_a_text() -> None:
    section = Section(name="tools", text="Use them.", when="tools")  # type: ignore[arg-type]
    assert section.when == {"tools"}
    assert system_text([section], flags={"tools": True}).sections == ("tools",)
    assert system_text([section], flags={"tools": False}).sections == ()


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ({"name": " "}, "name of a section"),
        ({"text": ""}, "text of a section"),
        ({"text": None}, "text of a section"),
        ({"short": ""}, "short of section"),
        ({"priority": "high"}, "priority of section"),
        ({"required": "no"}, "required of section"),
        ({"when": 7}, "must be flag names"),
        ({"unless": [1]}, "must be flag names"),
    ],
)
def test_a_section_that_makes_no_sense_says_what_would(wrong: dict[str, Any], remedy: str) -> None:
    with pytest.raises(InvalidInput, match=remedy):
        Section(**{"name": "core", "text": "Be kind.", **wrong})


def test_a_system_text_is_made_of_sections_of_different_names() -> None:
    with pytest.raises(InvalidInput, match="a unique name"):
        system_text([Section(name="a", text="x"), Section(name="a", text="y")])
    with pytest.raises(InvalidInput, match=r"turnfold\.Section"):
        system_text(["Be kind."])  # type: ignore[list-item]


def request(budget_tokens: int, system: Any, flags: Any = ()) -> Request:
    return request_of(
        budget_tokens=budget_tokens, query=None, system=system, flags=flags, task=None, reserve_tokens=0,
        policy=BALANCED, counter=ESTIMATOR, expand=(),
    )  # fmt: skip


def test_flags_without_sections_are_a_mistake() -> None:
    with pytest.raises(InvalidInput, match=r"list of turnfold\.Section"):
        request(1_000, "Be kind.", {"tools"})
    assert request(1_000, "Be kind.").system == "Be kind."


def test_a_context_shows_the_sections_that_its_flags_and_budget_allow() -> None:
    prompt = [
        Section(name="core", text="You are a careful engineer.", required=True),
        Section(name="tools", text="Look things up instead of guessing. " * 8, when=frozenset({"tools"}), priority=5),
        Section(name="error", text="Something failed: say so. " * 8, when=frozenset({"error"})),
        Section(name="manual", text="Chapter. " * 400, priority=9),
    ]
    with fold(talk("sections", 120), settings={"segment_max_turns": 8}) as conversation:
        context = conversation.context(budget_tokens=1_000, system=prompt, flags={"tools", "error"})
        assert context.tokens <= 1_000
        assert context.text.startswith("You are a careful engineer.\n\nLook things up")
        assert context.text.index("Look things up") < context.text.index("Something failed")
        left = [one.what for one in context.budget.left_out if one.reach == "a larger budget_tokens"]
        assert left == ["section 'manual' of the system text"]
        plain = conversation.context(budget_tokens=1_000, system=prompt)
        assert plain.text.startswith("You are a careful engineer.\n[")
        with pytest.raises(InvalidBudget):
            conversation.context(budget_tokens=5, system=prompt)


@pytest.mark.parametrize(
    "system", ["Kind\0ly \ud800 now é", [Section(name="a", text="x\udfff\0é", required=True)], None]
)
def test_every_form_can_be_sent_whatever_a_system_text_and_a_task_hold(system: Any) -> None:
    with fold({"role": "user", "content": "Hello."}) as conversation:
        context = conversation.context(budget_tokens=1_000, system=system, task="Say \ud83d\0 é")
    for form in (context.text, context.request("openai"), context.request("anthropic")):
        assert "\\u0000" not in json.dumps(form)
        assert json.dumps(form, ensure_ascii=False).encode().decode().count("\ufffd") == (4 if system else 2)
