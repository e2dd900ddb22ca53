"""Every draft becomes an anchor; repeats, corrections and answers only change states."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.examples import examples
from support.settled_talk import SETTINGS, merged, states
from support.wild_turns import said, talk, wild_turns
from turnfold.contract.records import AnchorState, StoredTurn
from turnfold.contract.vectors import Vector, rounded
from turnfold_worker.pipeline.anchors.deduplicate import Merged, anchor_terms, merge, texts_to_embed
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.anchors.reconcile.likeness import cosine
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn


@given(wild_turns(most=10), wild_turns(most=10))
@examples(40)
def test_ids_are_dense_and_relations_point_to_known_anchors(first: list[StoredTurn], second: list[StoredTurn]) -> None:
    earlier = merged(first).new
    later = [said(t.content, seq=t.seq + len(first), role=t.role) for t in second]
    result = merged(later, earlier)
    assert [one.id for one in result.new] == list(range(len(earlier) + 1, len(earlier) + len(result.new) + 1))
    known = {one.id for one in (*earlier, *result.new)}
    related = [one.related for one in result.new] + [one.related for one in result.changed]
    assert all(one is None or one in known for one in related)
    assert len({one.id for one in result.changed}) == len(result.changed)
    assert merged(later, tuple(reversed(earlier))) == result


def test_of_two_equals_the_shorter_is_kept() -> None:
    long, short = "We decided to keep the monthly billing plan, yes.", "We decided to keep the monthly billing plan."
    assert states(merged(talk(f"user: {short}", f"user: {long}"))) == [AnchorState.ACTIVE, AnchorState.DUPLICATE]
    result = merged(talk(f"user: {long}", f"user: {short}"))
    assert states(result) == [AnchorState.DUPLICATE, AnchorState.ACTIVE]
    assert result.new[0].related == result.new[1].id


def test_an_earlier_anchor_becomes_the_duplicate_of_a_shorter_new_one() -> None:
    earlier = merged(talk("user: We decided to keep the monthly billing plan, yes.")).new
    result = merged([said("We decided to keep the monthly billing plan.", seq=9)], earlier)
    assert [(one.id, one.state, one.related) for one in result.changed] == [(1, AnchorState.DUPLICATE, 2)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("We saw Kestrel 3 at the fair.", "Kestrel 3 obviously had a huge impact on you."),
        ("I'll think about it, and maybe get a cat soon if I find one without an allergy.", "I wish I had no allergy."),
    ],
)
def test_what_shares_less_than_half_of_its_words_is_no_duplicate(first: str, second: str) -> None:
    assert AnchorState.DUPLICATE not in states(merged(talk(f"Ana: {first}", f"Ana: {second}")))


def test_an_order_said_again_in_fewer_words_is_a_duplicate_and_replaces_nothing() -> None:
    result = merged(talk("user: Please always answer in German.", "user: Always answer in German."))
    assert states(result) == [AnchorState.DUPLICATE, AnchorState.ACTIVE]
    assert result.new[1].replaces is None


def test_a_slip_of_the_hand_is_mended_across_segments_too() -> None:
    earlier = merged(talk("user: The invoice number is 88213.")).new
    result = merged([said("88231, typo", seq=9)], earlier)
    assert [(one.id, one.state) for one in result.changed] == [(1, AnchorState.SUPERSEDED)]


@pytest.mark.parametrize("condition", ["If Marta agrees, ", "Once the audit is over, ", "Unless I say otherwise, "])
def test_a_permission_under_a_condition_lifts_nothing_yet(condition: str) -> None:
    permission = "you may deploy on Fridays now."
    assert states(merged(talk("user: Never deploy on Fridays.", f"user: {condition}{permission}")))[0] == "active"
    lifted = merged(talk("user: Never deploy on Fridays.", f"user: {permission.capitalize()}"))
    assert states(lifted)[0] is AnchorState.SUPERSEDED


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("You must restart the production database.", "You must not restart the production database."),
        ("We decided to give Ana the production keys.", "We decided to give Omar the production keys."),
        ("We decided to set max_size in production.", "We decided to set min_size in production."),
        ("I prefer quiet window seats on trains.", "We decided on quiet window seats on trains."),
        ("The search latency must be < 150 ms.", "The search latency must be < 250 ms."),
        ("Our search latency must be < 150 ms.", "Our search latency must be > 150 ms."),
        ("We decided to give ana the staging keys.", "We decided to give omar the staging keys."),
        ("We decided to invite two speakers to the summit.", "We decided to invite three speakers to the summit."),
        ("We decided to deploy before the summit.", "We decided to deploy after the summit."),
        ("I'll send the contract by Monday.", "I'll send the contract by Tuesday."),
    ],
)
def test_a_negation_a_name_or_a_type_keeps_two_anchors_apart(first: str, second: str) -> None:
    assert AnchorState.DUPLICATE not in states(merged(talk(f"user: {first}", f"user: {second}")))


def test_a_correction_supersedes_what_it_corrects() -> None:
    earlier = merged(talk("user: We decided the launch party is in Lisbon.")).new
    result = merged([said("Actually, it changed: the launch party is in Porto.", seq=5)], earlier)
    assert [(one.id, one.state, one.related) for one in result.changed] == [(1, AnchorState.SUPERSEDED, 2)]


def test_a_correction_that_says_more_still_supersedes_what_it_names() -> None:
    earlier = "The API key rotates every 30 days."
    later = (
        "Actually no, I was wrong: the API key rotates every 90 days, and the signing certificate of the gateway "
        "expires yearly."
    )
    found = merged(talk(f"user: {earlier}", "assistant: Noted.", f"user: {later}")).new
    assert [anchor.state for anchor in found if anchor.text == earlier] == [AnchorState.SUPERSEDED]


@pytest.mark.parametrize(
    "later",
    [
        "Actually no, we will use MySQL 8 for the ledger service, not PostgreSQL.",
        "We decided to use MySQL for the ledger instead of PostgreSQL.",
        "We'll go with MySQL rather than PostgreSQL for the ledger service.",
    ],
)
def test_a_decision_supersedes_the_one_that_it_names_as_given_up(later: str) -> None:
    earlier = "We decided to use PostgreSQL 16 for the ledger service."
    found = merged(talk(f"user: {earlier}", "assistant: Understood.", f"user: {later}")).new
    assert [(one.state, one.replaces) for one in found] == [(AnchorState.SUPERSEDED, None), (AnchorState.ACTIVE, 1)]


@pytest.mark.parametrize(
    "later",
    [
        "We decided to use MySQL for the newsletter archive, not PostgreSQL.",
        "We decided to keep PostgreSQL for the ledger service, not MySQL.",
        "We decided to use PostgreSQL for the ledger service, not only PostgreSQL tools.",
    ],
)
def test_what_is_given_up_elsewhere_or_not_at_all_supersedes_nothing(later: str) -> None:
    earlier = "We decided to use PostgreSQL 16 for the ledger service."
    found = merged(talk(f"user: {earlier}", "assistant: Understood.", f"user: {later}")).new
    assert AnchorState.SUPERSEDED not in [one.state for one in found if one.text == earlier]


def test_the_same_fact_with_another_value_supersedes_the_earlier() -> None:
    result = merged(
        talk("user: My launch deadline must be 3 May 2026.", "user: My launch deadline must be 7 May 2026.")
    )
    assert states(result) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]


def test_a_number_that_tells_which_of_several_is_no_changed_value() -> None:
    rooms = talk("user: Room 12 is booked for the 9:00 meeting.", "user: Room 14 is booked for the 9:00 meeting.")
    assert states(merged(rooms)) == [AnchorState.ACTIVE, AnchorState.ACTIVE]
    reports = talk("user: I sent report 3 of the audit to Mara.", "user: I sent report 4 of the audit to Mara.")
    assert states(merged(reports)) == [AnchorState.ACTIVE, AnchorState.ACTIVE]
    ships = talk("user: We shipped version 3 of the audit.", "user: We shipped version 4 of the audit.")
    assert states(merged(ships)) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]
    days = talk("user: Room 12 is booked on 3 May.", "user: Room 12 is booked on 7 May.")
    assert states(merged(days)) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]
    ports = talk("user: The port of the ledger is 5433.", "user: The port of the ledger is 5432.")
    assert states(merged(ports)) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]


def test_a_value_of_a_part_takes_the_place_of_none_of_the_whole() -> None:
    part = talk("user: We ship on 5 June.", "user: We ship the beta on 12 June.")
    assert states(merged(part)) == [AnchorState.ACTIVE, AnchorState.ACTIVE]
    whole = talk("user: We ship on 5 June.", "user: We ship on 12 June.")
    assert states(merged(whole)) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]


def test_an_answer_in_a_later_segment_resolves_the_question() -> None:
    earlier = merged(talk("user: Which region hosts the nightly backups?")).new
    assert earlier[0].state is AnchorState.ACTIVE
    result = merged([said("We decided that Frankfurt hosts the nightly backups.", seq=7)], earlier)
    assert [(one.state, one.related) for one in result.changed] == [(AnchorState.RESOLVED, 2)]


def test_a_finished_promise_is_resolved_by_the_report() -> None:
    earlier = merged(talk("user: I'll send the signed contract to the notary.")).new
    result = merged([said("I've sent the contract this morning.", seq=4)], earlier)
    assert [(one.state, one.related) for one in result.changed] == [(AnchorState.RESOLVED, 2)]


def test_terms_are_rarest_first_and_bounded() -> None:
    found = anchor_terms("We use src/app/main.py with max_tokens for the authentication of every single user there")
    assert len(found) <= 8
    assert found[0] == "src/app/main.py"


def test_cosine_of_equals_is_one_and_of_strangers_zero() -> None:
    assert cosine("postgres index planner", "postgres index planner") == 1.0
    assert cosine("postgres", "lasagna") == 0.0
    assert cosine("", "lasagna") == 0.0


def alike(*texts: str) -> dict[str, Vector]:
    """Return vectors that make all texts alike in meaning."""
    return dict.fromkeys(texts, rounded([1.0] * 384))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The search latency must be < 150 ms.", "The search latency must be < 250 ms."),
        ("You must restart the production database.", "You must not restart the production database."),
        ("We decided to give Ana the production keys.", "We decided to give Omar the production keys."),
        ("We decided to give ana the production keys.", "We decided to give omar the production keys."),
    ],
)
def test_no_likeness_of_meaning_merges_another_number_name_or_negation(first: str, second: str) -> None:
    drafts = extract_anchors([read_turn(turn) for turn in talk(f"user: {first}", f"user: {second}")], SETTINGS)
    assert len(drafts) == 2
    assert texts_to_embed(drafts, ()) == []
    result = merge(drafts, (), next_id=1, node_idx=0, settings=SETTINGS, vectors=alike(first, second))
    assert AnchorState.DUPLICATE not in states(result)


def test_what_means_the_same_is_a_repeat_only_with_the_vectors_to_say_so() -> None:
    first = "We decided that the audit ledger of finance stays immutable."
    second = "We decided the ledger stays immutable."
    strict = FoldSettings(deduplicate_above=0.95)
    drafts = extract_anchors([read_turn(turn) for turn in talk(f"user: {first}", f"user: {second}")], strict)
    assert set(texts_to_embed(drafts, ())) == {first, second}
    by_words = merge(drafts, (), next_id=1, node_idx=0, settings=strict)
    assert states(by_words) == [AnchorState.ACTIVE, AnchorState.ACTIVE]
    meant = merge(drafts, (), next_id=1, node_idx=0, settings=strict, vectors=alike(first, second))
    assert states(meant) == [AnchorState.DUPLICATE, AnchorState.ACTIVE]


def test_a_correction_without_a_subject_is_about_what_was_said_last() -> None:
    turns = talk("user: The launch must be on 3 May.", "assistant: Noted.", "user: Sorry, I meant 7 May.")
    old, new = merged(turns).new
    assert (old.state, old.related) == (AnchorState.SUPERSEDED, new.id)
    assert (new.state, new.replaces) == (AnchorState.ACTIVE, old.id)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("We pay 900 euros in rent.", "Correction: 950, the landlord raised it in January."),
        ("I take 5 mg of ramipril every morning.", "I was wrong, it's 10 mg, the pharmacist doubled it."),
        ("The dentist is on Tuesday.", "Sorry, I meant Wednesday, I mixed up the booking confirmation."),
        ("The launch is on 3 May.", "Oops, 4 May, the calendar showed another month."),
        ("My address is 12 Mill Lane.", "Correction: 21 Mill Lane, the postman complained."),
    ],
)
def test_a_correction_may_say_why(earlier: str, later: str) -> None:
    assert AnchorState.SUPERSEDED in states(merged(talk(f"user: {earlier}", f"user: {later}")))


def test_a_correction_with_words_of_its_own_takes_no_other_place() -> None:
    earlier = "My uncle lent us 9,000, which we must not touch."
    later = "That's a sealed envelope, it doesn't count in the 80."
    assert AnchorState.SUPERSEDED not in states(merged(talk(f"user: {earlier}", f"user: {later}")))
    assert AnchorState.SUPERSEDED not in states(merged([said(f"{earlier} {later}")]))


def test_a_correction_without_a_subject_reaches_back_only_a_few_turns() -> None:
    earlier = merged(talk("user: The launch must be on 3 May.")).new
    result = merged([said("Sorry, I meant 7 May.", seq=40)], earlier)
    assert result.changed == ()


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        # The words for an act are no subject.
        ("Decision: Fennpay, not Okralink.", "And the list view as an equal choice, yes, please make that a decision."),
        # Says too much of its own to be about the last statement.
        (
            "Decided: Django 5.2 on Python 3.12, server-rendered.",
            "I'd make it a setting, `HOLD_SECONDS=600`, and let a worker sweep expired holds every 20 seconds.",
        ),
        # A value of something else.
        (
            "The infrastructure budget is 2,400 euros a month, all in.",
            "Budget 75 euros per person, that's mine to pay, not from infrastructure.",
        ),
        (
            "90 days after the visit then, deleted automatically.",
            "Everything, automatically, within 24 hours, no form to fill in.",
        ),
        # Two of a kind, told apart by the word before.
        ("The wallet service listens on port 7169.", "Correction: the portal service is on port 9204."),
        ("We moved the ledger service to port 9017.", "We moved the wallet service to port 9221."),
        # Names its own subject.
        ("The invoice service runs on port 7001.", "Correction: the cache holds 500 entries."),
        # Names the value that was wrong.
        ("The monitor listens on port 7208.", "Actually, it listens on port 9272, not 7195."),
        ("For the backups we use eu-central-1.", "Correction: I said p95 under 150 ms, it is actually under 250 ms."),
    ],
)
def test_what_is_about_something_else_supersedes_nothing(earlier: str, later: str) -> None:
    turns = talk(f"user: {earlier}", "assistant: Noted.", f"user: {later}")
    found = merged(turns).new
    assert earlier in [anchor.text for anchor in found]
    assert len(found) >= 2
    assert AnchorState.SUPERSEDED not in states(merged(turns))


@pytest.mark.parametrize("text", ["I'll send the contract to the bank on Friday.", "I'm allergic to peanuts."])
@pytest.mark.parametrize("apart", [False, True])
def test_what_two_people_say_of_themselves_is_two_anchors(text: str, apart: bool) -> None:
    assert states(of_two("Ana", "Ben", text, apart=apart)) == [AnchorState.ACTIVE] * (1 if apart else 2)
    assert states(of_two("Ana", "Ana", text, apart=apart))[-1] is AnchorState.DUPLICATE


@pytest.mark.parametrize("apart", [False, True])
def test_what_is_true_whoever_says_it_is_one_anchor(apart: bool) -> None:
    result = of_two("Ana", "Ben", "The launch is on 7 May.", apart=apart)
    assert states(result)[-1] is AnchorState.DUPLICATE


def test_what_one_tells_of_oneself_is_not_overtaken_by_another() -> None:
    first, second = "Ana: My budget is 500 euros a month.", "Ben: My budget is 700 euros a month."
    assert states(merged(talk(first, second))) == [AnchorState.ACTIVE, AnchorState.ACTIVE]
    assert states(merged(talk(first, second.replace("Ben", "Ana")))) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]


def of_two(one: str, other: str, text: str, *, apart: bool) -> Merged:
    """Merge one text of two speakers, in one segment or `apart`: then only the later anchor is new."""
    if not apart:
        return merged(talk(f"{one}: {text}", f"{other}: {text}"))
    return merged([said(text, seq=9, name=other)], merged(talk(f"{one}: {text}")).new)


def by(*lines: str) -> list[StoredTurn]:
    """Return turns of two people, alternately."""
    return [said(line, seq=seq, name=("Ana", "Omar")[(seq - 1) % 2]) for seq, line in enumerate(lines, start=1)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The database listens on port 5433.", "No, it's 5432, I looked it up."),
        ("The launch is on 3 May.", "No, it's on 7 May."),
        ("The rent is 900 euros.", "That's wrong, it's 950."),
        ("The review is on Tuesday.", "I think it's Wednesday, not Tuesday."),
    ],
)
def test_somebody_else_may_set_right_what_was_said(first: str, second: str) -> None:
    result = merged(by(first, second))
    assert states(result) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]
    assert result.new[1].replaces == result.new[0].id


def test_an_assistant_may_set_its_user_right() -> None:
    result = merged(talk("user: Our database listens on port 5433.", "assistant: No, it's 5432."))
    assert states(result) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]


def test_a_repair_of_ones_own_words_does_not_reach_those_of_another() -> None:
    result = merged(by("The launch is on 3 May.", "Sorry, I meant 40 chairs on 9 June."))
    assert states(result)[0] is AnchorState.ACTIVE


def test_a_name_that_is_called_is_no_value() -> None:
    result = merged(by("Omar bought the van.", "You're wrong, Ana."))
    assert AnchorState.SUPERSEDED not in states(result)


def test_a_standing_order_is_overtaken_by_another_about_the_same() -> None:
    result = merged(talk("user: Always answer in German.", "assistant: Gut.", "user: From now on answer in French."))
    assert states(result) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]
    turned = merged(talk("user: Always use emojis.", "assistant: Sure.", "user: Never use emojis."))
    assert states(turned) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]
    apart = merged(talk("user: Always answer in German.", "assistant: Gut.", "user: Always cite the sources."))
    assert states(apart) == [AnchorState.ACTIVE, AnchorState.ACTIVE]
