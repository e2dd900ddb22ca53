"""A note that reverses the meaning of its turns is refused, and the true note is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from note_evidence import evidence
from support.examples import examples
from turnfold_worker.pipeline.refinement.directions import (
    has_another_unit_of_time,
    prefers_the_other,
    turns_a_change_round,
)
from turnfold_worker.pipeline.refinement.opposites import says_the_opposite
from turnfold_worker.pipeline.refinement.withheld import affirms_what_was_withheld

DAY = "2026-03-10"

PAIRS = [
    # An opposite, or a refused request.
    ("Our cat hates Bergen.", "Nora's cat loves Bergen.", "Nora's cat hates Bergen."),
    ("The tenant asked for a key and I refused.", "Nora gave the tenant a key.", "Nora refused the tenant a key."),
    ("The inspector rejected the report.", "The inspector accepted the report.", "The inspector rejected the report."),
    ("Nobody except me should have a key.", "Everybody should have a key.", "Nobody except Nora should have a key."),
    ("The stove came without a lid. I sent it back.", "Nora kept the stove.", "Nora sent the stove back."),
    # A thing named only where it is denied or ended.
    ("Staging is done. I have not touched production.", "Nora did production.", "Nora did not touch production."),
    ("I didn't say it's impossible.", "Nora said it is impossible.", "Nora did not say it is impossible."),
    ("Then it can't be the 17th.", "It stays on the 17th.", "It cannot be the 17th."),
    ("I stopped eating gluten in January.", "Nora eats gluten again.", "Nora stopped eating gluten in January."),
    ("I was going to paint it but I gave up on that.", "Nora paints it.", "Nora gave up painting it."),
    ("Lars used to write the tests.", "Lars writes the tests.", "Lars used to write the tests."),
    ("I never got a reason for the refund.", "Nora got a reason for the refund.", "Nora never got a reason."),
    ("We refused to lend the tent.", "They lent the tent.", "They refused to lend the tent."),
    ("I forbid you to sell the oven.", "Sell the oven.", "Nora forbids anyone to sell the oven."),
    ("We decided against hiring a cook.", "They decided on hiring a cook.", "They decided against hiring a cook."),
    ("They ruled out moving the ferry.", "They are moving the ferry.", "They ruled out moving the ferry."),
    # What is said to be untrue.
    (
        "The story that Ada wrecked the van is a lie.",
        "Ada wrecked the van.",
        "The story that Ada wrecked the van is a lie.",
    ),
    ("It is false that the roof leaks.", "The roof leaks.", "It is false that the roof leaks."),
    ("I doubt that the ferry sails.", "The ferry sails.", "Nora doubts that the ferry sails."),
    # Verbs that a note may add.
    ("We have not agreed to anything. Rent is high.", "Nora agreed to rent.", "Nora has not agreed to anything."),
    ("I cannot run the marathon myself.", "Nora will run the marathon.", "Nora cannot run the marathon."),
    ("Shipping is not included.", "Shipping is included.", "Shipping is not included."),
    ("I'm not angry about the plants.", "Nora is angry about the plants.", "Nora is not angry about the plants."),
    # Two ends swapped.
    ("I raised it from 4 GB to 12 GB.", "Nora raised it to 4 GB.", "Nora raised it from 4 GB to 12 GB."),
    ("The grade fell from B to D.", "The grade fell from D to B.", "The grade fell from B to D."),
    ("Ingrid wasn't paid for two months.", "Ingrid wasn't paid for two years.", "Ingrid wasn't paid for two months."),
    ("We have 3,200 euros a month.", "They have 3,200 euros a year.", "They have 3,200 euros a month."),
    ("I'd rather plant a palm than a fern.", "Nora would rather plant a fern.", "Nora would rather plant a palm."),
    ("They pay 12,000 a quarter.", "They pay 12,000 a month.", "They pay 12,000 a quarter."),
    ("We chose Postgres over Mongo.", "They chose Mongo over Postgres.", "They chose Postgres over Mongo."),
    # Possibilities.
    ("I may have to work on the weekend.", "Nora has to work on the weekend.", "Nora may have to work on the weekend."),
    ("Maybe we sell the van.", "They sell the van.", "Maybe they sell the van."),
    # Whose thing it is.
    ("My sister is well, she adopted a greyhound.", "Nora adopted a greyhound.", "Nora's sister adopted a greyhound."),
    # When it happened.
    ("The job failed last Thursday.", "The job failed on 10 March 2026.", "The job failed on 5 March 2026."),
    ("I lent you my tent last summer.", "Nora lent the tent in summer 2026.", "Nora lent the tent in summer 2025."),
    (
        "The pump came on Friday. I was ill yesterday.",
        "The pump came on 9 March 2026.",
        "The pump came on 6 March 2026.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("said", "lie", "true"), PAIRS)
def test_the_reverse_is_refused_and_the_true_note_kept(said: str, lie: str, true: str) -> None:
    told = evidence(((DAY, "Nora", said), (DAY, "Sam", "Thanks for telling me!")))
    assert told.problems(lie, [1], "Nora") != []
    assert told.problems(true, [1], "Nora") == []


KEPT = [
    ("The show is on 12 September.", "The show is on 12 September."),
    ("I suggest Tuesday 17 March.", "Nora suggested Tuesday 17 March."),
    ("I can't come before seven.", "Nora can't come to the dinner before seven."),
    ("I could never work nights. My sister did it for years.", "Nora's sister worked nights."),
    ("We live not far from the bar and love it.", "Nora loves the bar."),
    ("Don't raise the fee without me. If it goes up I leave.", "Nora leaves if the fee goes up."),
    ("I refused the first offer for the van.", "Nora got an offer for the van."),
    ("I failed the exam in March.", "Nora had the exam in March."),
    ("I forgot to avoid the bridge and lost an hour.", "Nora lost an hour at the bridge."),
    ("We refused to lend the tent to Ada. Then we lent it to Omar.", "They lent the tent to Omar."),
    ("It is false that the roof leaks. The gutter leaks.", "The gutter leaks."),
    ("No doubt that the ferry sails.", "The ferry sails."),
]


@pytest.mark.parametrize(("said", "true"), KEPT)
def test_a_true_note_in_other_words_is_kept(said: str, true: str) -> None:
    told = evidence(((DAY, "Sam", "Is there a dinner on Monday?"), (DAY, "Nora", said)))
    assert told.problems(true, [2], "Nora") == []


def test_what_an_it_means_stands_in_the_turn_before() -> None:
    told = evidence(((DAY, "Sam", "Apple has to approve the build."), (DAY, "Nora", "They rejected it twice.")))
    assert told.problems("Apple approved the build.", [2], "Nora") != []
    assert told.problems("Apple rejected the build twice.", [2], "Nora") == []


def test_a_no_denies_what_was_asked_and_not_of_whom() -> None:
    told = evidence(((DAY, "Sam", "Did Jonas find a job?"), (DAY, "Nora", "Not yet. Jonas turned down an offer.")))
    assert told.problems("Jonas turned down an offer.", [2], "Nora") == []
    assert told.problems("Jonas found a job.", [1, 2], "Nora") != []


_PIECES = st.lists(
    st.sampled_from([
        "not", "never", "stopped", "gave up", "hates", "loves", "refused", "gave", "from", "to", "4", "12", "two",
        "years", "months", "a month", "rather", "than", "prefers", "it", "but", "nobody", "everybody", "tea",
        "Nora", ".", "?",
    ]),
    max_size=14,
).map(" ".join)  # fmt: skip


@examples(300)
@given(_PIECES | st.text(max_size=80), st.lists(_PIECES, max_size=3))
def test_what_was_said_word_for_word_is_never_the_reverse_of_itself(note: str, more: list[str]) -> None:
    told = [note, *more]
    assert not says_the_opposite(note, told)
    assert not turns_a_change_round(note, told)
    assert not has_another_unit_of_time(note, told)
    assert not affirms_what_was_withheld(note, [note])
    assert prefers_the_other(note, told) in {True, False}
