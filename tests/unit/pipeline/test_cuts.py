"""Text that is cut contains no partial number: every number that remains is in the source."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import said
from turnfold.assemble.forms.clip import clip_middle, clip_text
from turnfold.contract.text import clean, whole_numbers
from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import fold
from turnfold_worker.pipeline.content import read_content
from turnfold_worker.pipeline.content.statements import shown
from turnfold_worker.pipeline.fold import fold_segment
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE, Span, clauses
from turnfold_worker.pipeline.levels.fact_lists import rank_entries
from turnfold_worker.pipeline.settings import FoldSettings

_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
exact = st.one_of(
    st.integers(0, 10**12).map(str),
    st.integers(10**6, 10**12).map("{:,}".format),
    st.decimals(0, 10**6, places=3, allow_nan=False).map(str),
)
"""Numbers as people write them."""
scraps = st.one_of(
    exact, exact.map("${}".format), exact.map("预算为{}元。".format),
    st.sampled_from(["the budget of", " ", "euros", "x" * 30, "数据库", "- ", ": ", "\n"]),
)  # fmt: skip
numbered = st.lists(scraps, min_size=1, max_size=40).map(" ".join) | st.lists(scraps, max_size=40).map("".join)


def numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def whole(text: str) -> bool:
    """Return whether all numbers in a text are so short that none may be cut."""
    return all(len(number) < 40 for number in numbers(text))


@given(numbered.filter(whole), st.integers(0, 400))
def test_a_cut_leaves_no_part_of_a_number(text: str, size: int) -> None:
    cut = text[: whole_numbers(text, size)]
    assert len(cut) <= size or cut == text
    assert numbers(cut) <= numbers(text)
    assert len(cut) >= min(size, len(text)) - 40


@given(numbered.filter(whole), st.integers(4, 200))
def test_a_statement_that_is_cut_holds_whole_numbers(text: str, longest: int) -> None:
    assert numbers(shown(text, longest)) <= numbers(" ".join(text.split()))


@given(numbered.filter(whole), st.integers(1, 200))
def test_a_clipped_text_holds_whole_numbers(text: str, tokens: int) -> None:
    head, cut = clip_text(text, tokens)
    assert estimate_tokens(head) <= tokens
    assert text.startswith(head)
    assert cut == (head != text)
    assert numbers(head) <= numbers(text)
    if cut:
        ends = clip_middle(text, tokens, " […] ", estimate_tokens)
        assert numbers(ends) <= numbers(text)


@given(numbered.filter(whole))
def test_clauses_and_entries_cut_no_number(text: str) -> None:
    spans = clauses(text, Span(0, len(text)), 40)
    assert spans or not text.strip()
    for clause in spans:
        assert clause.end - clause.start <= max(40, MAX_CLAUSE)
        assert numbers(text[clause.start : clause.end]) <= numbers(text)
    for entry in rank_entries([("errors", text, 1)])["errors"]:
        assert numbers(entry) <= numbers(" ".join(text.split()))


@given(st.lists(numbered.filter(whole), min_size=1, max_size=6), st.sampled_from(["user", "tool"]))
@examples(100)
def test_levels_and_statements_hold_no_part_of_a_number(texts: list[str], role: str) -> None:
    turns = [said(text, seq=seq, role=role) for seq, text in enumerate(texts, 1)]  # type: ignore[arg-type]
    source = " ".join(texts)
    known = set(re.findall(r"\d+", source)) | {str(seq) for seq in range(len(texts) + 1)}
    folded = fold_segment(turns, idx=0, settings=FoldSettings())
    assert folded.levels.keys() == {1, 2, 3}
    for text in folded.levels.values():
        assert set(re.findall(r"\d+", text)) <= known | {one for found in counts_of(text) for one in found}
    for text in texts:
        for statement in read_content(text):
            assert set(re.findall(r"\d+", statement.text)) <= known | {
                one for found in counts_of(statement.text) for one in found
            }


def counts_of(text: str) -> list[tuple[str, ...]]:
    """Return the numbers in a text that are counts of ours."""
    return re.findall(
        r"turn \d+, (\d+) %|(?<!\d)(\d+) (?:lines?|items?|rows?|more|files?|folders?|times|matche?s?)", text
    )


@given(st.text(st.characters(), max_size=80))
def test_text_is_cleaned_once_and_keeps_its_length(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert len(cleaned) == len(text)
    assert "\x00" not in cleaned
    cleaned.encode()


@pytest.mark.parametrize("number", ["1" * 30, "1,250,000", "3.14159", "2026-05-14"])
def test_a_number_at_the_edge_is_left_out(number: str) -> None:
    text = f"pay {number} now"
    assert whole_numbers(text, 4 + len(number)) == 4 + len(number)
    for size in range(5, 4 + len(number)):
        assert numbers(text[: whole_numbers(text, size)]) <= numbers(text)


@pytest.mark.parametrize("tokens", range(8, 60))
def test_a_cut_tears_no_word_and_leaves_no_scrap_of_the_end(tokens: int) -> None:
    text = "Certainly, Craig! Everything considered, understandable mathematics requires perseverance, so do ask! " * 4
    cut = clip_middle(text, tokens, " [… →L0:turn-7] ", estimate_tokens)
    beginning, _, end = (part.strip() for part in cut.partition("[… →L0:turn-7]"))
    assert set(beginning.split()) <= set(text.split())
    assert set(end.split()) <= set(text.split())
    assert not end or len(end) > 25


@pytest.mark.parametrize("budget_tokens", [300, 600, 1_000])
def test_the_newest_turn_is_never_only_a_marker(budget_tokens: int) -> None:
    lines = [f"We looked at the fence number {n} and at all of its paint for quite a while." for n in range(90)]
    turns = [{"role": "user", "name": "Mara", "content": line} for line in lines]
    turns.append(
        {"role": "user", "name": "Tomas", "content": "Understandably the ferry was cancelled by Kestrel. " * 30}
    )
    with fold(turns) as conversation:
        text = conversation.context(budget_tokens=budget_tokens).text
    last = text.splitlines()[-1]
    assert last.startswith("Tomas: Understandably the ferry was cancelled")
