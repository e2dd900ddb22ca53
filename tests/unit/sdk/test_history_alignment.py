"""New messages are told from stored ones, whatever the caller did to its history."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.chat_history.alignment import Alignment, Said, align


def said(*words: str) -> list[Said]:
    """Parse messages: `u:hello` is a user's, `a:…` an assistant's, `t:…` a tool's."""
    roles = {"u": "user", "a": "assistant", "t": "tool"}
    return [Said(roles[word[0]], word[2:]) for word in words]


def laid(stored: list[Said], history: list[Said], *, whole: bool = True) -> tuple[int, int]:
    """Return the index of the first new message, and the number of stored turns that remain."""
    alignment = align(stored, history, whole=whole)
    return alignment.new_from, alignment.kept


TALK = said("u:1", "a:1", "u:2", "a:2", "u:3", "a:3")


@pytest.mark.parametrize(
    ("stored", "history", "expected"),
    [
        pytest.param([], TALK, (0, 0), id="nothing is stored"),
        pytest.param(TALK[:4], TALK[:5], (4, 4), id="one more question"),
        pytest.param(TALK[:3], TALK[:5], (3, 3), id="an answer that was not collected"),
        pytest.param(TALK[:5], TALK[:5], (5, 5), id="the call is repeated"),
        pytest.param(TALK[:4], TALK[2:5], (2, 4), id="a window of the newest"),
        pytest.param(TALK, TALK[:5], (5, 5), id="the last answer is made again"),
        pytest.param(TALK[:2], TALK[:1], (1, 1), id="the first answer is made again"),
        pytest.param(TALK, said("u:1", "a:1", "u:new"), (2, 2), id="back to an earlier question, edited"),
        pytest.param(TALK, said("u:1", "a:1", "u:2", "a:2", "u:3", "a:other", "u:4"), (5, 5), id="another answer kept"),
    ],
)
def test_what_is_new_and_what_was_abandoned(stored: list[Said], history: list[Said], expected: tuple[int, int]) -> None:
    assert laid(stored, history) == expected


def test_a_tool_result_that_was_cleared_in_place_cuts_nothing_off() -> None:
    stored = said("u:1", "a:call", "t:long", "a:2")
    history = said("u:1", "a:call", "t:cleared", "a:2", "u:3")
    alignment = align(stored, history, whole=True)
    assert (alignment.new_from, alignment.kept) == (4, 4)
    assert alignment.places == {3: 3, 2: 2, 1: 1, 0: 0}


def test_a_short_word_that_was_said_before_cuts_nothing_off() -> None:
    stored = said("u:1", "a:1", "u:yes", "a:2", "u:3", "a:3")
    assert laid(stored, said("u:yes"), whole=False) == (0, 6)
    assert laid(stored, said("u:1"), whole=True) == (0, 6)


def test_of_a_history_that_nothing_stored_is_in_only_what_nobody_answered_is_new() -> None:
    assert laid(TALK, said("u:summary of before", "a:ok", "u:4", "u:5")) == (2, 6)


def test_new_messages_alone_are_all_appended_unless_the_call_is_repeated() -> None:
    assert align(TALK, said("u:1"), whole=True, only_new=True) == Alignment(0, 6, {})
    assert align(TALK[:5], said("u:3"), whole=True, only_new=True) == Alignment(1, 5, {4: 0})


@dataclass
class Caller:
    """An application with its own history, and the turns that the store should contain."""

    history: list[Said] = field(default_factory=list)
    stored: list[Said] = field(default_factory=list)
    made: int = 0

    def new(self, role: str) -> Said:
        self.made += 1
        return Said(role, str(self.made))

    def send(self, sent: list[Said]) -> None:
        alignment = align(self.stored, sent, whole=True)
        self.stored = [*self.stored[: alignment.kept], *sent[alignment.new_from :]]

    def answer(self, *, collected: bool) -> None:
        reply = self.new("assistant")
        self.history.append(reply)
        if collected:
            self.stored.append(reply)

    def do(self, step: str, number: int) -> None:
        if step == "edit" and len(self.history) >= 4:
            # Goes back to a question after the first, and asks it in other words.
            at = 2 * (1 + number % (len(self.history) // 2 - 1))
            self.history = self.history[:at]
        if step == "again" and self.history:
            self.history.pop()
        else:
            self.history.append(self.new("user"))
        self.send(self.history[-1 - 2 * (1 + number) :] if step == "window" else self.history)
        self.answer(collected=step != "lost")


STEPS = st.tuples(st.sampled_from(["ask", "edit", "again", "window", "lost"]), st.integers(0, 5))


@examples(300)
@given(st.lists(STEPS, max_size=25))
def test_what_is_stored_follows_whatever_the_caller_does_to_its_history(steps: list[tuple[str, int]]) -> None:
    caller = Caller()
    for step, number in steps:
        caller.do(step, number)
    caller.send(caller.history)
    assert caller.stored == caller.history


MESSAGES = st.lists(
    st.builds(Said, st.sampled_from(["user", "assistant", "tool"]), st.sampled_from("abc")), max_size=12
)


@examples(500)
@given(MESSAGES, MESSAGES, st.booleans(), st.booleans())
def test_what_is_appended_ends_the_callers_history_and_its_places_agree(
    stored: list[Said], history: list[Said], whole: bool, only_new: bool
) -> None:
    alignment = align(stored, history, whole=whole, only_new=only_new)
    assert 0 <= alignment.new_from <= len(history)
    assert (not stored and alignment.kept == 0) or 1 <= alignment.kept <= len(stored)
    assert all(history[place].role == stored[at].role for at, place in alignment.places.items())
    # After the last message that both sides share, everything is new.
    if alignment.places:
        assert max(alignment.places) == alignment.kept - 1
        assert max(alignment.places.values()) == alignment.new_from - 1


@examples(200)
@given(MESSAGES.filter(bool), MESSAGES)
def test_a_history_that_only_grew_is_appended_once(stored: list[Said], more: list[Said]) -> None:
    grown = [*stored, *(Said(message.role, f"new {message.digest}") for message in more)]
    assert laid(stored, grown) == (len(stored), len(stored))


@examples(500)
@given(MESSAGES.filter(bool), MESSAGES)
def test_whoever_says_again_what_was_said_before_cuts_nothing_off(stored: list[Said], more: list[Said]) -> None:
    assert laid(stored, [*stored, *more]) == (len(stored), len(stored))


def test_an_answer_as_short_as_an_earlier_one_is_appended() -> None:
    stored = said("u:a", "a:OK", "u:yes", "a:fine", "u:b", "a:OK")
    assert laid(stored, [*stored, *said("u:yes")]) == (6, 6)
    # Also in another window of the history, and after an edited question.
    assert laid(stored, [*stored[2:], *said("u:yes")], whole=False) == (4, 6)
    edited = [*stored, *said("u:c", "a:d")]
    assert laid(edited, [*stored, *said("u:yes")]) == (6, 6)


def test_what_was_missed_is_appended_though_its_answer_was_given_before() -> None:
    assert laid(said("u:x", "a:OK"), said("u:x", "a:OK", "u:y", "a:OK")) == (2, 2)


def test_a_summary_in_the_middle_of_a_history_cuts_nothing_off() -> None:
    stored = said(*(f"{role}:{number}" for number in range(10) for role in "ua"))
    history = [*stored[:10], *said("u:summary"), *stored[-3:], *said("u:new")]
    assert laid(stored, history) == (14, 20)


@examples(100)
@given(st.lists(st.sampled_from(["u:yes", "a:OK"]), min_size=1, max_size=12))
def test_a_history_of_two_words_grows_turn_by_turn(words: list[str]) -> None:
    history, stored = said(*words), []
    for count in range(1, len(history) + 1):
        alignment = align(stored, history[:count], whole=True)
        stored = [*stored[: alignment.kept], *history[alignment.new_from : count]]
    assert stored == history


def test_of_a_history_of_one_word_the_newest_messages_are_appended() -> None:
    stored = said("u:yes", "a:OK", "u:go on") * 60
    assert laid(stored, [*stored * 20, *said("a:done", "u:new")], whole=False) == (60 * 3 * 20, 180)
