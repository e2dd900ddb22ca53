"""A pasted document as a question costs a read no more than its ends do."""

from __future__ import annotations

import random

from turnfold.assemble.forms.clip_around import Focus, clip_around
from turnfold.contract.text import ENDS, ends_of
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
