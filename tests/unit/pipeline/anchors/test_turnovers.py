"""A replacement or loss of a thing ends earlier statements about that thing, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.anchors.statements.turnovers import turnovers_of, turns_over


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We own a camper van.", "We sold the camper van."),
        ("I have a subscription to the paper.", "I ended my subscription to the paper."),
        ("Gustav works on the billing team.", "Gustav has left the billing team."),
        ("I play the cello in the town orchestra.", "I quit the town orchestra last week."),
        ("I'm on antibiotics.", "I'm off antibiotics, finally."),
        ("We drive a Civic.", "We traded in the Civic for a RAV4."),
        ("The launch is in May.", "We moved the launch from May to June."),
        ("The contract is valid to 30 June.", "The contract was extended from 30 June to 31 July."),
        ("I take cow's milk in my coffee.", "I switched to oat milk."),
        ("I take ibuprofen for the knee.", "I switched from ibuprofen to naproxen for the knee."),
        ("Tom runs the help desk.", "We let Tom go, Mia runs it now."),
        ("I report to Helena.", "Helena retired."),
        ("I smoke ten a day.", "I gave up smoking in March."),
        ("I play tennis on Wednesdays.", "I took up padel instead of tennis."),
        ("I bank with Rabobank.", "I closed my account at Rabobank and went to Bunq."),
        ("The frontend is written in Angular.", "We rewrote the frontend in Svelte."),
        ("The service runs on Heroku.", "The service has been migrated off Heroku to Fly."),
        ("Logs are shipped with Fluentd.", "Fluentd was replaced by Vector."),
        ("Lotte goes to the Montessori school.", "We took Lotte out of the Montessori school."),
        ("I'm married to Pieter.", "Pieter and I got divorced in January."),
    ],
)
def test_what_was_given_up_holds_no_longer(old: str, new: str) -> None:
    assert turns_over(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We own a camper van.", "The neighbours sold their camper van."),
        ("We own a camper van.", "We almost sold the camper van."),
        ("We own a camper van.", "Have we sold the camper van?"),
        ("We own a camper van.", "If we sold the camper van, we could pay for the roof."),
        ("We want a camper van.", "We sold the camper van."),
        ("Gustav works on the billing team.", "Gustav has left the office."),
        ("Gustav works on the billing team.", "Olga has left the billing team."),
        ("I play the cello in the town orchestra.", "I left the keys in the car."),
        ("I'm on antibiotics.", "I'm off work."),
        ("We have two dogs.", "I took my dogs out for a hike."),
        ("I take pictures with my phone.", "I dropped my phone."),
        ("I take pictures with my phone.", "I left my phone at home."),
        ("I work at the office.", "I left the office at six."),
        ("We live in Berlin.", "We went from Berlin to Munich by train."),
        ("The train leaves from Berlin.", "We took the train from Berlin to Munich."),
        ("We have a stove in the studio.", "We sold a stove."),
        ("We have a wood stove.", "We sold the second stove."),
        ("I own a flat in Linz.", "I sold the flat in Graz."),
        ("I own a flat in Linz.", "My sister sold the flat in Linz."),
        ("We bought the flat in Linz.", "We sold the flat in Linz."),
        ("We love the camper van.", "We sold the camper van."),
        ("I smoke ten a day.", "I gave up smoking for a month."),
        ("I smoke ten a day.", "I gave up smoking, but I started again."),
        ("I smoke ten a day.", "My uncle gave up smoking."),
        ("I smoke ten a day.", "I want to have given up smoking by June."),
        ("The launch is in May.", "We talked of a launch that moved from May to June."),
        ("The launch is in May.", "We moved the press event from May to June."),
        ("The launch is in May.", "Our rival moved the launch party from May to June."),
        ("We use Terraform for the network.", "We replaced Terraform with Pulumi for the sandbox."),
        ("We use Kafka and Redis.", "We ditched Kafka."),
        ("We use Kafka.", "He wrote 'we ditched Kafka' in his blog."),
        ("We use Kafka.", "They said that we ditched Kafka."),
        ("Tom runs the print shop.", "They let Tom's assistant go."),
        ("Tom likes jazz.", "We let Tom go."),
        ("Helena is from Cork.", "Helena retired."),
        ("Acme runs on Heroku.", "We moved off Heroku."),
        ("I'll send the contract.", "The contract was sent back."),
        ("Anna is in charge of the budget.", "Anna has moved to Berlin."),
        ("I drink black tea at work.", "At home I switched to rooibos tea."),
        ("I put on my work shoes.", "I went to the pride parade."),
    ],
)
def test_nothing_else_is_ended(old: str, new: str) -> None:
    assert not turns_over(new, old)


_WORDS = [
    "we", "I", "Ana", "sold", "left", "quit", "is", "off", "the", "my", "van", "team", "own", "in", "not", "moved",
    "from", "to", "switched", "let", "go", "replaced", "with", "for", "rewrote", "instead", "of", "May", "retired", "?",
]  # fmt: skip
words = st.lists(st.sampled_from(_WORDS), max_size=9)


@given(words, words)
def test_any_words_are_read_and_what_tells_of_no_change_ends_nothing(new: list[str], old: list[str]) -> None:
    later, earlier = " ".join(new), " ".join(old)

    is_over = turns_over(later, earlier)

    assert not is_over or turnovers_of(later)
    assert not turns_over(f"{later}?", earlier)
