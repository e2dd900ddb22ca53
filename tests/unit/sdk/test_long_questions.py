"""A pasted document as a question costs a read no more than its ends do."""

from __future__ import annotations

import random
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble.forms.clip_around import Focus, clip_around
from turnfold.contract.terms import rarest, rarity
from turnfold.contract.text import ENDS, ends_of
from turnfold.search.query_times import query_times
from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import fold

WORDS = [f"{first}{second}{number}" for first in "bdfk" for second in "aeou" for number in range(40)]


def document(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words))


def test_of_a_long_question_the_ends_are_looked_for() -> None:
    assert ends_of("Which port?") == "Which port?"
    long = "a" * ENDS + "b" * 9 + "c" * ENDS
    assert ends_of(long) == "a" * ENDS + "\n" + "c" * ENDS


def test_what_is_asked_behind_a_pasted_document_is_found() -> None:
    rng = random.Random(5)
    turns = [{"role": "user", "content": document(rng, 40)} for _ in range(60)]
    turns[7]["content"] = "The gate code of the depot is 7731."
    with fold(turns, conversation_id="c") as folded:
        query = f"{document(rng, 20_000)}\nWhat is the gate code of the depot?"
        assert "7731" in folded.context(budget_tokens=400, query=query).text
        asked = ends_of(query)
        # By either of both: the rest of the document is not looked for.
        assert folded.context(budget_tokens=400, query=query) == folded.context(budget_tokens=400, query=asked)
        assert folded.search(query) == folded.search(asked)


def test_a_long_turn_is_cut_around_the_rarest_of_what_is_asked() -> None:
    rng = random.Random(5)
    long = "\n\n".join([*(document(rng, 30) for _ in range(200)), "Depot gate 7731 opens.", document(rng, 30)])
    asked = (*WORDS[:200], "7731")
    assert "7731" in clip_around(long, 200, " [...] ", estimate_tokens, focus=Focus(asked=asked))


def test_of_a_long_question_the_times_at_its_ends_count() -> None:
    rng = random.Random(5)
    pasted = document(rng, 200)
    inside = f"{pasted} on 3 May 2026 {pasted}"
    assert query_times(inside, date(2026, 6, 1)).terms == ()
    asked = query_times("What did we decide on 3 May 2026?", date(2026, 6, 1))
    assert asked.terms
    for question in (f"{inside}\nWhat did we decide on 3 May 2026?", f"What did we decide on 3 May 2026?\n{inside}"):
        assert query_times(question, date(2026, 6, 1)) == asked


@given(st.lists(st.text("abc1-", min_size=1, max_size=6), unique=True), st.integers(0, 12))
def test_the_rarest_terms_are_kept_in_their_order(distinct: list[str], most: int) -> None:
    kept = rarest(distinct, most)
    assert len(kept) == min(most, len(distinct))
    assert list(kept) == [term for term in distinct if term in kept]
    left_out = [rarity(term) for term in distinct if term not in kept]
    assert not kept or max(left_out, default=0) <= min(map(rarity, kept))


def test_a_document_of_a_thousand_rare_words_is_asked_for_by_some_of_them() -> None:
    turns = [{"role": "user", "content": "The gate code of the depot is 7731-quokka-99."}]
    with fold(turns, conversation_id="c") as folded:
        words = " ".join(f"{number:03x}" for number in range(990))
        assert "7731" in folded.context(budget_tokens=400, query=f"{words} 7731-quokka-99").text
