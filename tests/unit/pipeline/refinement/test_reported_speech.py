"""Notes may join clauses, fix spelling and resolve dates: each true note is paired with a lie about the same turns."""

from __future__ import annotations

import pytest

from note_evidence import evidence

TALK = (
    ("2026-05-04", "Nora", "My kiln cracked last week and I lost all my mugs. Pottery is my shelter from the office."),
    ("2026-05-04", "Eli", "Oh no! My cousins gave me a wheel once, and we threw bowls all night."),
    ("2026-05-04", "Nora", "Have you ever glazed a vase? Your wheel would be perfect for it."),
    (
        "2026-05-04",
        "Eli",
        "Nah, never. But I recently started a cource on porcelin, and I run a boatshop of 12 people.",
    ),
    ("2026-05-11", "Nora", "Since we last spoke I hired an apprentice. He begins now, and I'll send you a picture."),
    ("2026-05-11", "Eli", "I'm not sure how to polish the rim. I haven't cut any other stones, only the blue ones."),
    ("2026-05-11", "Eli", "There's nothing like warm clay in spring. Why not try the new oven of ours?"),
    (
        "2026-05-11",
        "Nora",
        "I don't really want to get any, I told you about the ovens. Do you want to exhibit in Graz again?",
    ),
    ("2026-05-11", "Eli", "I think not, the fair there is a one-off. I had a super weekend, we sold the wheel."),
)
PAIRS = (
    # Several clauses about one subject that is named again; relatives; an 'I' and a 'you' in one sentence.
    ([1], "Nora", "Nora's kiln cracked and Nora lost all her mugs.", "Eli's kiln cracked and Eli lost all his mugs."),
    ([1], "Nora", "Pottery is Nora's shelter from the office.", "Pottery is Eli's shelter from the office."),
    ([2], "Eli", "Eli's cousins gave Eli a wheel; they threw bowls all night.", "Nora's cousins gave Nora a wheel."),
    ([5], "Nora", "Nora will send Eli a picture.", "Nora will send Nora a picture."),
    ([5], "Nora", "Nora will send Eli a picture.", "Eli will send Nora a picture."),
    ([3], "Nora", "Nora asked Eli whether he ever glazed a vase.", "Eli asked Nora whether she ever glazed a vase."),
    # Spelling and compounds from the turn.
    ([4], "Eli", "Eli started a course on porcelain.", "Eli started a course on parcels."),
    ([4], "Eli", "Eli runs a boat shop of 12 people.", "Eli runs a boat shop of 13 people."),
    # Dates resolved by rule.
    ([4], "Eli", "Eli started a cource on porcelin by 4 May 2026.", "Eli started a cource on porcelin by 3 May 2026."),
    ([5], "Nora", "Nora hired an apprentice between 4 May 2026 and 11 May 2026.",
     "Nora hired an apprentice between 2 May 2026 and 11 May 2026."),
    ([4], "Eli", "Eli started a cource on porcelin shortly before 4 May 2026.",
     "Eli started a cource on porcelin shortly before 9 April 2026."),
    ([9], "Eli", "Eli sold the wheel on the weekend of 9-10 May 2026.",
     "Eli sold the wheel on the weekend of 16-17 May 2026."),
    # Denials: an answer may begin with the same word; idioms deny nothing.
    ([3, 4], "Eli", "Eli has never glazed a vase.", "Eli has glazed a vase."),
    ([8, 9], "Eli", "Eli does not want to exhibit in Graz.", "Eli does not want to polish in Graz."),
    ([6], "Eli", "Eli is not sure how to polish the rim.", "Eli is sure how to polish the rim."),
    ([6], "Eli", "Eli has not cut any other stones.", "Eli has not cut with a warm wheel."),
    ([7], "Eli", "Eli speaks of warm clay in spring.", "Eli speaks of no warm clay in spring."),
    ([7], "Eli", "Eli asks to try the new oven.", "Eli never asks to try the new oven."),
    ([8], "Nora", "Nora does not want to get any ovens.", "Nora does not ever get new spring ovens."),
)  # fmt: skip
PROGRAM = (
    (
        "",
        "user",
        "My table has `amount REAL` and `name VARCHAR(40)`, retries = 3. I run Django 4.2.1 behind Nginx 1.24.",
    ),
    ("", "assistant", "Certainly! Return `{'error': 'Basket not found'}, 404` and sleep(5); Phase 2 lasts 6 days."),
)
PROGRAM_PAIRS = (
    ([1], "user", "The user's table has name VARCHAR(40).", "The user's table has name VARCHAR(41)."),
    ([1], "user", "The user sets retries = 3.", "The user sets retries = 4."),
    ([1], "user", "The user runs Django 4.2.1.", "The user runs Nginx 4.2.1."),
    ([2], "assistant", "The assistant returns 404 when the basket is not found.",
     "The assistant returns 405 when the basket is not found."),
    ([2], "assistant", "The assistant tells to sleep(5).", "The assistant tells to sleep(6)."),
    ([2], "assistant", "Phase 2 lasts 6 days.", "The assistant's Certainly lasts 6 days."),
)  # fmt: skip


@pytest.mark.parametrize(("seqs", "speaker", "true", "lie"), PAIRS)
def test_what_a_turn_says_may_be_reported_and_nothing_else(seqs: list[int], speaker: str, true: str, lie: str) -> None:
    said = evidence(TALK)
    assert said.problems(true, seqs, speaker) == []
    assert said.problems(lie, seqs, speaker)


@pytest.mark.parametrize(("seqs", "speaker", "true", "lie"), PROGRAM_PAIRS)
def test_values_of_programs_hold_with_their_names(seqs: list[int], speaker: str, true: str, lie: str) -> None:
    said = evidence(PROGRAM)
    assert said.problems(true, seqs, speaker) == []
    assert said.problems(lie, seqs, speaker)
