"""Paraphrases that a note may use and those it may not, by principle: each true note is paired with a lie."""

from __future__ import annotations

import pytest

from note_evidence import evidence
from turnfold_worker.pipeline.refinement.claimed_days import day_of

TALK = (
    ("2026-03-02", "Ada", "I'm reading Winter Harbour 2050 on the train."),
    ("2026-03-02", "Bo", "Is it any good? The icecream stand at the station sells books too."),
    ("2026-03-02", "Ada", "Haven't finished it yet, but I hope to finish this week."),
    ("2026-03-02", "Bo", "I wish I had a garden. We moved to Marlow. It has a small library with old maps."),
    ("2026-03-02", "Bo", "My sister found a map of 1870 in there."),
    ("2026-03-09", "Ada", "I started a choir since we last spoke! There are nine of us."),
)
PROGRAM = (
    ("", "user", "I'm Irma, and I run Flask 2.3.1 with jinja2 here. The release is due on April 15."),
    (
        "",
        "assistant",
        "Sure, Irma! Use this:\n```python\nif not user:\n    raise MissingUser\n```\nIt ends April 15, 2026.",
    ),
    ("", "user", "I keep the user in a table with a name and an age. Sprint 2 is about charts, limits = {'tea': 40}."),
)


@pytest.mark.parametrize(
    ("seqs", "speaker", "true", "lie"),
    [
        ([1], "Ada", "Ada is reading Winter Harbour 2050.", "Ada is reading Winter Harbour 2051."),
        ([2], "Bo", "The ice cream stand sells books.", "The rice cream stand sells books."),
        ([3], "Ada", "Ada has not finished Winter Harbour yet.", "Ada has not finished Marlow yet."),
        ([3], "Ada", "Ada hopes to finish Winter Harbour.", "Ada hopes to finish Marlow."),
        ([4], "Bo", "Bo has no garden.", "Bo has a garden."),
        ([5], "Bo", "In the Marlow library Bo's sister found a map.", "In the Oxbow library Bo's sister found a map."),
        ([6], "Ada", "Ada's choir began between 2 and 9 March 2026.", "Ada's choir began between 4 and 9 March 2026."),
        ([6], "Ada", "Somebody started a choir of nine.", "Somebody started a choir of ten."),
    ],
)  # fmt: skip
def test_other_words_of_the_same_are_kept_and_of_another_thing_refused(
    seqs: list[int], speaker: str, true: str, lie: str
) -> None:
    said = evidence(TALK)
    assert said.problems(true, seqs, speaker) == []
    assert said.problems(lie, seqs, speaker)


@pytest.mark.parametrize(
    ("seqs", "speaker", "true", "lie"),
    [
        ([1], "user", "The user runs Flask 2.3.1.", "The user runs Flask 2.3.2."),
        ([1], "user", "The user runs Flask with jinja2.", "The user runs Flask with jinja3."),
        ([1], "user", "Irma runs Flask 2.3.1.", "Edda runs Flask 2.3.1."),
        ([1], "user", "The release is due on April 15, 2026.", "The release is due on April 16."),
        ([3], "user", "The user keeps a table with name and age.", "The user keeps no user in a table."),
        ([3], "user", "Sprint 2 is about charts.", "Sprint 3 is about charts."),
        ([3], "user", "The limits are tea 40.", "The limits are tea 41."),
    ],
)  # fmt: skip
def test_of_programs_figures_hold_exactly_and_their_conditions_deny_nothing(
    seqs: list[int], speaker: str, true: str, lie: str
) -> None:
    said = evidence(PROGRAM)
    assert said.problems(true, seqs, speaker) == []
    assert said.problems(lie, seqs, speaker)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Ada moved on 20 May 2023.", "20 May 2023"),
        ("Ada moved in the week before 9 June 2023.", "the week before 9 June 2023"),
        ("Ada may move in summer 2024.", "summer 2024"),
        ("Ada may move.", ""),
    ],
)
def test_the_day_of_a_note_is_the_first_that_its_text_names(text: str, day: str) -> None:
    assert day_of(text) == day
