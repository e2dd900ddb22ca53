"""A pasted document as a question costs a read no more than the ends of the document."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble.forms.clip_around import Focus, clip_around
from turnfold.chat_history.caller_turns import read_history
from turnfold.chat_history.folding import PricedHistory, TailTurn
from turnfold.chat_history.recall import question_of
from turnfold.contract.terms import rarest, rarity
from turnfold.contract.text import ENDS, ends_of
from turnfold.search.query_times import query_times
from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import FoldedConversation, fold

WORDS = [f"{first}{second}{number}" for first in "bdfk" for second in "aeou" for number in range(40)]


def document(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words))


def test_of_a_long_question_the_ends_are_looked_for() -> None:
    assert ends_of("Which port?") == "Which port?"
    long = "a" * ENDS + "b" * 9 + "c" * ENDS
    assert ends_of(long) == "a" * ENDS + "\n" + "c" * ENDS


def test_no_end_of_a_long_question_has_a_part_of_a_word() -> None:
    for shift in range(9):
        assert set(ends_of("x" * shift + " zanzibar" * 1_000 + " y").split()) <= {"x" * shift, "zanzibar", "y"}


def test_what_is_asked_behind_a_pasted_document_is_found() -> None:
    rng = random.Random(5)
    turns = [{"role": "user", "content": document(rng, 40)} for _ in range(60)]
    turns[7]["content"] = "The gate code of the depot is 7731."
    with fold(turns, conversation_id="c") as folded:
        query = f"{document(rng, 20_000)}\nWhat is the gate code of the depot?"
        assert "7731" in folded.context(budget_tokens=400, query=query).text
        asked = ends_of(query)
        # The same for either query: the rest of the document is not searched for.
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


INSIDE, AT_THE_ENDS = "zanzibar", "kestrel"


def around(words: str, ends: str) -> str:
    """Return a question with `ends` at either end and `words` in its middle, which no read searches for."""
    side = f"{ends} " * (ENDS // len(ends) + 1)
    return f"{side}{words} {side}"


@pytest.fixture(scope="module")
def two_matters() -> Iterator[FoldedConversation]:
    rng = random.Random(6)
    turns = [{"role": "user", "content": f"{document(rng, 30)}."} for _ in range(80)]
    for seq, name in ((9, INSIDE), (41, AT_THE_ENDS)):
        turns[seq] |= {"name": "Ana", "content": f"Yesterday my sister {name.title()} Marsh came by train."}
    with fold(turns, conversation_id="c") as folded:
        yield folded


READS: dict[str, Callable[[FoldedConversation, str], object]] = {
    "context": lambda folded, query: folded.context(budget_tokens=900, query=query).text,
    "search": lambda folded, query: folded.search(query),
    "timeline": lambda folded, query: folded.timeline(query),
    "relations": lambda folded, query: folded.relations(about=query),
    "tiers": lambda folded, query: folded.tiers(query=query),
}


@pytest.mark.parametrize("read", READS)
def test_every_read_looks_for_what_stands_at_the_ends_alone(two_matters: FoldedConversation, read: str) -> None:
    look = READS[read]
    at_the_ends = look(two_matters, around("", AT_THE_ENDS))
    assert look(two_matters, around(INSIDE, AT_THE_ENDS)) == at_the_ends
    assert look(two_matters, around(AT_THE_ENDS, INSIDE)) != at_the_ends


@pytest.mark.parametrize("read", READS)
def test_blanks_around_a_question_are_not_its_ends(two_matters: FoldedConversation, read: str) -> None:
    blanks = "\n \t" * ENDS
    look = READS[read]
    assert look(two_matters, f"{blanks}{INSIDE}{blanks}") == look(two_matters, INSIDE)


@given(st.text(max_size=20))
def test_the_ends_of_a_question_are_a_question_of_bounded_length(piece: str) -> None:
    for text in (piece, piece * 500, f"{' ' * ENDS}{piece * 500}\n{' ' * ENDS}"):
        looked_for = ends_of(text)
        assert len(looked_for) <= 2 * ENDS + 1
        assert ends_of(looked_for) == looked_for
        assert bool(looked_for.strip()) == bool(text.strip())


@pytest.mark.parametrize(("inside", "ends", "says"), [("refund policy?", "thanks", False), ("thanks", "refund?", True)])
def test_what_brings_words_back_behind_a_block_stands_at_the_ends(inside: str, ends: str, *, says: bool) -> None:
    content = around(inside, ends)
    history = read_history({"messages": [{"role": "user", "content": content}]}, "chat")
    priced = PricedHistory(history, (0,), 0, "chat", estimate_tokens)
    asked = question_of(priced, (TailTurn("t1", 1, 0, None),))
    assert (asked is not None) is says
    assert asked is None or asked[1] == ends_of(content)


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
