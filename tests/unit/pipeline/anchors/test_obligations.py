"""A permission lifts only the prohibition of the same deed, and a limit replaces only the earlier one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.anchors.statements.completion_reports import does, opens_with, tells_of_done
from turnfold_worker.pipeline.anchors.statements.deeds import gives_up
from turnfold_worker.pipeline.anchors.statements.limits import limit_of, limits_otherwise
from turnfold_worker.pipeline.anchors.statements.obligations import duties_of, sets_aside, takes_back_all
from turnfold_worker.pipeline.anchors.statements.repairs import is_repair


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("You may now use tabs, the linter was changed.", "Never use tabs in this repo, only spaces."),
        ("you can edit migrations/ now", "And don't touch migrations/."),
        ("It's fine to deploy on Fridays now.", "Don't deploy on Fridays."),
        ("prod db may be restarted any time this week", "Prod db must not be restarted during business hours."),
        ("Actually you can call me any time, I am off.", "Please don't call me before 10 am."),
        ("Stop writing in past tense, use present tense.", "Always write in the past tense."),
        ("We no longer need the VPN for staging.", "All access to staging needs VPN."),
        ("Merges don't have to be signed any more.", "Every merge must be signed."),
        ("We ship to Norway again since May.", "We don't ship to Norway."),
        ("You don't need to use bullet points any more.", "Please answer in short bullet points."),
    ],
)
def test_a_later_rule_about_the_same_deed_takes_back_the_earlier_one(new: str, old: str) -> None:
    assert takes_back_all(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("It's fine to deploy the docs now.", "Don't deploy on Fridays."),
        ("You can restart the prod db now.", "Don't restart the prod db during business hours."),
        ("You can call Marta any time.", "Please don't call me before 10 am."),
        ("You may use tabs in the Makefile now.", "Never use tabs."),
        ("Nobody may deploy on Fridays now.", "Never deploy on Fridays."),
        ("May I use tabs now?", "Never use tabs."),
        ("Can we deploy on Fridays now?", "Don't deploy on Fridays."),
        ("You may use tabs now.", "Never use tabs, the limit is 4 spaces."),
        ("You may use tabs now.", "We decided to use tabs."),
    ],
)
def test_what_allows_less_or_something_else_takes_back_nothing(new: str, old: str) -> None:
    assert not takes_back_all(new, old)


def test_every_rule_of_an_earlier_statement_has_to_be_taken_back() -> None:
    both = "Don't use tabs, and don't touch the vendor folder."
    assert not takes_back_all("You may use tabs now.", both)
    assert takes_back_all("You may use tabs now, and you can touch the vendor folder again.", both)


@pytest.mark.parametrize(
    ("new", "old", "aside"),
    [
        ("You can ignore the budget cap we talked about.", "The budget cap is 40,000 euros.", True),
        ("The budget cap doesn't apply any more.", "The budget cap is 40,000 euros.", True),
        ("She isn't allergic to nuts anymore.", "My daughter is allergic to nuts.", True),
        ("The demo on Tuesday is cancelled.", "The demo on Tuesday is in room Curie.", True),
        ("Don't forget the budget cap.", "The budget cap is 40,000 euros.", False),
        ("Lily isn't vegetarian any more.", "Tom is vegetarian.", False),
        ("I'm not vegetarian any more.", "I am vegetarian.", True),
        ("We don't have nuts any more.", "My daughter is allergic to nuts.", False),
        ("We don't use Redis any more.", "We don't use Redis on Windows.", False),
        ("You can ignore the travel cap.", "The budget cap is 40,000 euros.", False),
    ],
)
def test_what_counts_no_more_is_set_aside(new: str, old: str, aside: bool) -> None:
    assert sets_aside(new, old) is aside


@pytest.mark.parametrize(
    ("new", "old", "otherwise"),
    [
        ("Latency has to be < 250 ms, product agreed.", "Latency must be < 150 ms at p95.", True),
        ("we can go up to 150 a night after all", "no more than 120 euros a night for the hotel", True),
        ("chapters can be longer than 3,000 words from now on", "Keep chapters under 3,000 words.", True),
        ("We may spend up to 3,500 euros on it.", "We must never spend more than 2,000 euros on it.", True),
        ("We can spend up to 3,500 euros on the van.", "Never spend more than 2,000 euros on the offsite.", False),
        ("You can drive up to 130 km a day.", "Don't drive less than 30 km a day.", False),
        ("Latency of reports must be < 250 ms.", "Latency must be < 150 ms.", False),
        ("The p99 latency must be < 300 ms.", "The p95 latency must be < 150 ms.", False),
        ("Latency must be at least 250 ms.", "Latency must be at most 150 ms.", False),
        ("Latency must be < 150 ms.", "Latency must be < 150 ms.", False),
        ("Uploads must stay under 5 minutes.", "Uploads must stay under 25 MB.", False),
        ("Must latency be < 250 ms?", "Latency must be < 150 ms.", False),
        ("Latency was below 400 ms yesterday.", "Latency must be < 150 ms.", False),
        ("Passwords used to have at least 8 characters.", "Passwords need at least 12 characters.", False),
    ],
)
def test_a_limit_takes_the_place_of_the_one_of_the_same_thing(new: str, old: str, otherwise: bool) -> None:
    assert limits_otherwise(new, old) is otherwise


@pytest.mark.parametrize(
    ("report", "promise", "done"),
    [
        ("I restarted worker-3.", "Can someone restart worker-3?", True),
        ("keys rotated", "I'll rotate the keys tonight.", True),
        ("I've sent the draft to Ana.", "Please send the draft by Monday.", True),
        ("The slides are ready.", "Can you prepare the slides by Monday?", True),
        ("I restarted worker-4.", "Can someone restart worker-3?", False),
        ("I have not restarted worker-3 yet.", "Can someone restart worker-3?", False),
        ("Once I restarted worker-3, it failed.", "Can someone restart worker-3?", False),
        ("Have you restarted worker-3?", "Can someone restart worker-3?", False),
    ],
)
def test_a_deed_is_reported_by_its_verb_and_what_it_is_done_to(report: str, promise: str, done: bool) -> None:
    assert does(report, promise) is done


@pytest.mark.parametrize(
    ("said", "done"),
    [
        ("the lease has been signed.", True),
        ("after lunch i sent the keys.", True),
        ("if you look, the gate is fixed.", True),
        ("once the lease has been signed, i'll send the keys.", False),
        ("i'll call you as soon as i've finished.", False),
        ("keep the ladder until the gate is fixed.", False),
        ("the deposit should have been paid.", False),
        ("make sure the letter is sent.", False),
        ("have we booked the hall?", False),
    ],
)
def test_what_is_to_be_done_first_is_not_done(said: str, done: bool) -> None:
    assert tells_of_done(said) is done


def test_a_reply_may_open_with_what_was_asked_for() -> None:
    assert opens_with("Booked: 3 June, 9:40.", "Book it please.")
    assert opens_with("Done, it is live.", "Deploy the fix.")
    assert not opens_with("Booked solid until June, sorry.", "Book it please.")
    assert not opens_with("Done?", "Deploy the fix.")


def test_who_gives_up_a_promise_names_its_deed_and_its_object() -> None:
    assert gives_up("I'm not bringing dessert after all.", "I'll bring the dessert.")
    assert gives_up("I can't send the report before Monday.", "I'll send the report on Friday.")
    assert not gives_up("I can't open the report.", "I'll send the report on Friday.")
    assert not gives_up("I can't bring it up to Ben.", "I'll bring the dessert.")


@pytest.mark.parametrize(
    ("said", "repairs"),
    [
        ("9443, typo", True),
        ("*9443", True),
        ("16:15 i mean", True),
        ("9443^", True),
        ("9443 (oops)", True),
        ("9443, my mistake", True),
        ("9443, i mistyped", True),
        ("9443, misspelt", True),
        ("9443, rather", True),
        ("9443, correction", True),
        ("9443, not 9444", True),
        ("no, 47", True),
        ("wait, the 4th of june, sorry", True),
        ("and the order number was 88231, typo", True),
        ("sorry, 16 elm street, not 14", True),
        ("it's 9443", False),
        ("ok, 47", False),
        ("no 5 here", False),
        ("no, i think that 47 of them were there last year", False),
        ("oops", False),
    ],
)
def test_few_words_put_a_value_in_place_of_another(said: str, repairs: bool) -> None:
    assert is_repair(said) is repairs


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_are_compared_without_an_error(one: str, other: str) -> None:
    for compared in (takes_back_all, sets_aside, limits_otherwise, does, gives_up, opens_with):
        assert compared(one, other) in {True, False}
    assert limit_of(one) is None or any(map(str.isdigit, one))
    assert all(rule.words for rule in duties_of(one))
    assert not (is_repair(one) and is_repair(f"{one} {'word ' * 20}"))
