"""A telegram is a clause in fewer words for small budgets: a subsequence of its words with the same claim."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import wild_text
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.notes import telegraph
from turnfold_worker.pipeline.notes.telegraph import telegraphic
from turnfold_worker.pipeline.notes.whole import whole_clause


@pytest.mark.parametrize(
    ("clause", "telegram"),
    [
        ("I went to a support group on 7 May 2023", "went to support group on 7 May 2023"),
        ("I've known these friends for 4 years, since I moved", "known these friends for 4 years, since I moved"),
        ("I'm not sure that I can come", "not sure I can come"),
        ("I haven't sold the flat yet", "haven't sold flat yet"),
        ("I really love the garden", "I love garden"),
        ("I was in Rome. I lost my keys", "was in Rome. lost my keys"),
        ("It's a thriller", "It's thriller"),
        ("I wanted to tell you that the house is sold", "house is sold"),
        ("There is a leak in the roof", "leak in roof"),
        ("It's normal to be nervous", "normal to be nervous"),
        ("The gate is shut, and the dog is away", "gate is shut, and dog is away"),
        ("I ran a race on the Saturday before", "ran race on the Saturday before"),
    ],
)
def test_a_telegram_leaves_out_what_its_label_and_a_reader_supply(clause: str, telegram: str) -> None:
    assert telegraphic(clause) == telegram


@pytest.mark.parametrize(
    "clause",
    [
        "gave in after seeing the six in a thousand",
        "Only a few came twice a day",
        "Ana and I signed",
        "I and Ana signed",
        "She took my car",
        "That is Melanie's my friend",
        "We read 'The Hobbit' in June",
        'We read "A Tale of the Two" in June',
        "The Hague is far",
        "Is the gate open?",
        "(Did you sell the house?) Yes, in May",
        "They did not just ask",
        "You can't really eat that",
        "Mom called and I left",
        "I delete all backups on Friday",
        "I don't eat meat",
        "It is not easy",
        "We have been away",
        "I",
        "the",
        "There is",
    ],
)
def test_what_changes_the_claim_stays(clause: str) -> None:
    assert telegraphic(clause) == clause


KEPT = listed(
    """
    in on at of for with by to from into over under about after before between through than as if unless until or and
    but not no never nor without can could may might must should would will was were been are had you he she we they
    me him her us them my your his our their two three six ten who what when where which why how be do did does am again
    those such now own then okay while much well like even still too yet ever both any
    """
)
"""Words that no telegram drops."""


@given(wild_text)
@examples(300)
@example("I have two of the six, which we sold on Monday, and a bus for the rest")
def test_a_telegram_is_some_words_of_the_clause_in_their_order(text: str) -> None:
    clause = whole_clause(plain_line(text))
    left = iter(clause.split())
    assert all(word in left for word in telegraphic(clause).split())


@given(st.lists(st.sampled_from([*sorted(KEPT), "the", "a", "gate", "sold"]), min_size=1, max_size=9))
@examples(300)
def test_no_telegram_loses_a_small_word(words: list[str]) -> None:
    check_small_words(words)


def check_small_words(words: Sequence[str]) -> None:
    """Assert that a telegram keeps all of the small words."""
    telegram = telegraphic(" ".join(words)).split()
    assert [word for word in telegram if word in KEPT] == [word for word in words if word in KEPT]


@pytest.mark.parametrize("word", sorted(KEPT))
def test_the_check_fails_when_a_small_word_is_dropped(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_small_words(["gate", word, "house"])
    is_spare = telegraph._is_spare
    monkeypatch.setattr(
        telegraph, "_is_spare", lambda words, i, sentence: words[i] == word or is_spare(words, i, sentence)
    )
    with pytest.raises(AssertionError):
        check_small_words(["gate", word, "house"])
