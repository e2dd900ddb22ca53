"""Notes answer a query by words, by speaker, by neighbouring notes, and by embedding."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import Policy
from turnfold.assemble import Request, request_of
from turnfold.contract.notes import Note
from turnfold.contract.passages import (
    PLACES,
    STANDING,
    number_of,
    pack_pointers,
    unpack_passages,
    unpack_pointers,
)
from turnfold.contract.vectors import (
    DEFAULT_MODEL,
    NO_VECTOR,
    cosine,
    cosines_to,
    differing,
    numbers_of,
    pack_signs,
    rounded,
)
from turnfold.contract.words import note_words
from turnfold.errors import InvalidInput
from turnfold.search.note_hits import hits, said_by
from turnfold.search.relevance import query_terms
from turnfold.search.turn_scores import (
    MOST_COMPARED,
    Field,
    PostingRow,
    best_of,
    best_turns,
    near_passages,
    scores_of,
    told_by,
    with_standing,
)
from turnfold.tokens import ESTIMATOR, estimate_tokens
from turnfold_worker.pipeline.notes.passages import passages_of, postings_of

words = st.sampled_from(["pool", "connection", "postgres", "launch", "friday", "owner", "budget", "kept", "Mara"])
texts = st.lists(words, min_size=1, max_size=8).map(" ".join)

FIELD = Field(said={"user": 1_000}, segments=4)
SCORES = st.dictionaries(st.integers(256, 9_000), st.integers(1, 900), max_size=30)


def note(seq: int, text: str, *, speaker: str = "Mara", worth: int = 100) -> Note:
    return Note(seq, 0, speaker, "user", "", text, estimate_tokens(text) + 1, worth, "5" * len(note_words(text)))


def found(query: str, *notes: Note, near: dict[int, float] | None = None, most_tokens: int = 1_000) -> list[int]:
    return [one.seq for one in answers(query, notes, near=near or {}, most_tokens=most_tokens)]


def candidates(
    asked: Sequence[str],
    rows: Sequence[PostingRow],
    field: Field,
    *,
    most: int,
    near: Mapping[int, float] | None = None,
) -> dict[int, int]:
    """Return the scores of passages as a read computes them."""
    postings = [row for row in rows if row[0] != STANDING]
    scores = scores_of(told_by(asked, postings, field), postings, field, near=near or {})
    return best_of(with_standing(scores, [row for row in rows if row[0] == STANDING]), most)


def answers(
    query: str, notes: Sequence[Note], *, near: Mapping[int, float], most_tokens: int, most: int = 100,
    field: Field = FIELD,
) -> tuple[Note, ...]:  # fmt: skip
    """Return the notes that answer a query, from what a fold stores, as a read finds them."""
    passages = passages_of(notes)
    rows = [(one.term, 0, one.weight, one.passages) for one in postings_of({}, passages)]
    asked = query_terms(query)
    scores = candidates(asked, [row for row in rows if row[0] in asked], field, near=near, most=most)
    stored = unpack_passages([(one.number, one.packed()) for one in passages if one.number in scores])
    return hits(asked, scores, stored, field, most_tokens=most_tokens)


TALK = (
    note(1, "pool has 20 connections"),
    note(5, "who owns ledger?", speaker="Omar"),
    note(6, "Priya, since March"),
    note(11, "launch on Friday"),
)


def test_the_note_that_holds_the_words_comes_first() -> None:
    assert found("when is the launch?", *TALK)[0] == 11


def test_what_follows_a_question_comes_with_it_though_it_holds_none_of_its_words() -> None:
    assert set(found("who owns the ledger?", *TALK)) == {5, 6}


def test_a_query_that_names_a_speaker_prefers_what_that_speaker_said() -> None:
    notes = (note(3, "drinks tea", speaker="Mara"), note(9, "drinks tea", speaker="Omar"))
    assert found("What does Omar drink?", *notes) == [9, 3]


def test_whom_an_assistant_serves_is_told_of_by_others_too() -> None:
    told = ("return by train", "the kettle train", "the train door", "the shop train")
    notes = [
        note(3, "return kettle", speaker="Omar"),
        *(note(9 + at, text, speaker="Vera") for at, text in enumerate(told)),
    ]

    def place_of_own(said: Mapping[str, int]) -> int:
        asked = "What must Omar return by train?"
        told_first = answers(asked, notes, near={}, most_tokens=1_000, field=Field(said=said, segments=4))
        return told_first.index(notes[0])

    assert place_of_own({"user": 500, "assistant": 500}) == 1
    assert place_of_own({"user": 100, "assistant": 900}) == len(told)


def test_a_query_that_says_no_more_than_a_name_finds_what_the_named_one_said() -> None:
    notes = [
        note(3, "drinks tea", speaker="Mara"),
        note(9, "plays chess", speaker="Omar"),
        note(10, "x", speaker="Omar"),
    ]
    assert said_by(query_terms("What about Omar?"), notes, notes[:2], most_tokens=100) == notes[2:]
    assert said_by(query_terms("What about Omar?"), notes, (), most_tokens=1) == notes[1:2]
    assert said_by(query_terms("What about tea?"), notes, (), most_tokens=100) == []


def test_a_note_that_says_nothing_by_itself_comes_after_one_that_does() -> None:
    notes = (note(3, "launch launch great", worth=0), note(9, "launch needs approval", worth=100))
    assert found("launch", *notes)[0] == 9


def test_a_passage_that_is_near_in_meaning_is_found_without_a_shared_word() -> None:
    assert 6 not in found("launch", *TALK)
    assert found("launch", *TALK, near={number_of(11, 0): 0.1, number_of(6, 0): 0.9})[:2] == [11, 6]


def test_the_signs_of_vectors_tell_which_passages_are_near() -> None:
    vectors = {number: rounded([1.0] * (number - 50) + [-1.0] * (80 - number)) for number in range(60, 70)}
    blocks = [pack_signs([(one, vectors[one]) for one in held]) for held in (range(65, 70), range(60, 65))]
    near = near_passages(vectors[66], blocks)
    assert set(near) == set(vectors)
    assert near[66] == max(near.values())
    assert near[65] == pytest.approx(near[67])
    assert near[66] > near[65] > near[69]
    assert near_passages(rounded([1.0] * 9), blocks) == {}, "another model's"
    assert near_passages(NO_VECTOR, blocks) == {}


def test_only_the_newest_passages_are_compared() -> None:
    old, new = rounded([1.0] * 16), rounded([-1.0, 1.0] * 8)
    blocks = [pack_signs([(one, new) for one in range(MOST_COMPARED)]), pack_signs([(9_000, old)])]
    assert 9_000 not in near_passages(old, blocks)
    assert 9_000 in near_passages(old, blocks[::-1])


NUMBERS = st.lists(st.floats(-1, 1), min_size=16, max_size=16)


@given(st.dictionaries(st.integers(0, 2**32 - 1), NUMBERS, max_size=20))
def test_as_many_signs_differ_as_numbers_do(numbers: dict[int, list[float]]) -> None:
    vectors = {number: rounded(one) for number, one in numbers.items()}
    asked = rounded([1.0, -1.0] * 8)
    found = {number: differ for differ, number, _ in differing(asked, pack_signs(sorted(vectors.items())))}
    for number, differ in found.items():
        pairs = zip(numbers_of(asked), numbers_of(vectors[number]), strict=True)
        assert differ == sum((a > 0) != (b > 0) for a, b in pairs)
    assert set(found) == {one for one, vector in vectors.items() if any(number > 0 for number in numbers_of(vector))}


@given(st.lists(st.floats(-1, 1), min_size=5, max_size=21), st.randoms())
def test_cosines_by_signs_are_those_to_the_directions_that_the_signs_have(
    asked: list[float], chance: random.Random
) -> None:
    vector = rounded(asked)
    signed = [[chance.choice((-1.0, 1.0)) for _ in asked] for _ in range(5)]
    packed = pack_signs([(i, rounded(one)) for i, one in enumerate(signed)])
    codes = {number: code for _, number, code in differing(vector, packed)}
    assert list(codes) == [number for number, row in enumerate(signed) if vector and max(row) > 0]
    found = dict(zip(codes, cosines_to(vector, list(codes.values())), strict=True))
    for number, cosine_by_signs in found.items():
        exact = cosine(numbers_of(vector), [round(one) for one in signed[number]])
        assert cosine_by_signs == pytest.approx(exact * math.sqrt(math.pi / 2), abs=1e-9)


@given(SCORES, st.integers(1, 8))
def test_the_turns_that_answer_best_are_those_of_the_best_passages(scores: dict[int, int], most: int) -> None:
    ranked = dict(sorted(scores.items(), key=lambda one: (-one[1], one[0])))
    best = best_turns(ranked, most)
    assert len(best) == min(most, len({number // PLACES for number in scores}))
    assert list(best.values()) == sorted(best.values(), reverse=True)
    for seq, share in best.items():
        held = max(score for number, score in scores.items() if number // PLACES == seq)
        assert share == held / max(scores.values())


def test_the_newest_orders_of_a_person_stand_beside_what_answers() -> None:
    notes = [*(note(seq, "answer briefly, please") for seq in range(3, 13)), note(90, "launch on Friday")]
    said = ["Always answer briefly, please."] * 10 + ["The launch is on Friday."]
    postings = postings_of({}, passages_of(notes, said))

    def scores(*terms: str) -> dict[int, int]:
        rows = [(one.term, 0, one.weight, one.passages) for one in postings if one.term in terms]
        found = candidates(("launch",), rows, FIELD, most=100)
        return {number // PLACES: score for number, score in found.items() if number // PLACES in range(3, 13)}

    assert scores("launch") == {}
    assert list(scores("launch", STANDING)) == [7, 8, 9, 10, 11, 12]
    assert scores(STANDING) == {}, "where nothing answers they are no answer"


def test_what_a_person_prefers_stands_beside_the_newest_orders_and_takes_none_of_their_places() -> None:
    notes = [*(note(seq, "answer briefly, please") for seq in range(3, 21)), note(90, "launch on Friday")]
    said = [*["Always answer briefly, please."] * 9, *["I prefer brief answers."] * 9, "The launch is on Friday."]
    rows = [(one.term, 0, one.weight, one.passages) for one in postings_of({}, passages_of(notes, said))]
    wanted = [row for row in rows if row[0] in {"launch", STANDING}]
    found = candidates(("launch",), wanted, FIELD, most=100)
    order = [number // PLACES for number in found if number // PLACES in range(3, 21)]
    assert order == [*range(6, 12), *range(15, 21)], "orders before preferences, the newest six of each"


def test_what_goes_on_in_the_turn_that_answers_comes_before_its_neighbours() -> None:
    long = "launch " + " ".join(f"harbour{n}" for n in range(30))
    turn_notes = [note(8, long), note(8, f"budget {long[7:]}")._replace(place=1)]
    notes = [note(7, "kept by owner"), *turn_notes]
    rows = [(one.term, 0, one.weight, one.passages) for one in postings_of({}, passages_of(notes))]
    scores = candidates(("launch",), [row for row in rows if row[0] == "launch"], FIELD, most=100)
    own, inside, before = (scores[number] for number in (8 * PLACES, 8 * PLACES + 1, 7 * PLACES))
    assert own > inside > before


def test_what_says_the_same_again_comes_after_what_says_something_else() -> None:
    same = [note(seq, "postgres kept connection budget") for seq in (3, 30, 60)]
    other = note(90, "postgres owner pool launch friday extra words that make it weaker alone")
    first, second, *rest = found("postgres", *same, other)
    assert ({first, second}, sorted(rest)) == ({3, 90}, [30, 60])


def test_without_words_that_say_something_nothing_is_found() -> None:
    assert found("what is it?", *TALK) == []


def test_a_passage_holds_notes_of_one_turn_and_is_read_as_it_was_stored() -> None:
    notes = [note(3, "pool has 20 connections")._replace(place=i) for i in range(9)] + [note(4, "“so” \\ ok")]
    passages = passages_of(notes)
    assert [one for passage in passages for one in passage.notes] == notes
    assert [passage.number for passage in passages] == [*(number_of(3, i) for i in range(len(passages) - 1)), 4 * 256]
    assert [passage.ends for passage in passages][-2:] == [True, True]
    stored = unpack_passages([(one.number, one.packed()) for one in passages])
    assert [one.notes for one in stored] == [tuple(one.notes) for one in passages]
    assert [len(words.split()) for words in stored[0].words] == [len(one.weights) for one in stored[0].notes]


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**16 - 1)), max_size=20))
def test_pointers_are_read_as_they_were_stored(pairs: list[tuple[int, int]]) -> None:
    numbers, marks = unpack_pointers(pack_pointers(pairs))
    assert list(zip(numbers, marks, strict=True)) == pairs


@given(texts, st.lists(texts, max_size=12), st.integers(0, 60), st.dictionaries(st.integers(1, 12), st.floats(-1, 1)))
def test_hits_are_notes_each_once_within_the_tokens(
    query: str, said: list[str], most_tokens: int, near: dict[int, float]
) -> None:
    notes = [note(seq, text) for seq, text in enumerate(said, 1)]
    by_number = {number_of(seq, 0): cosine for seq, cosine in near.items()}
    best = answers(query, notes, near=by_number, most_tokens=most_tokens)
    assert len({one.seq for one in best}) == len(best)
    assert set(best) <= set(notes)
    assert sum(one.tokens for one in best) <= most_tokens


@given(texts, st.lists(texts, min_size=1, max_size=12), st.randoms(), st.integers(1, 12))
def test_the_order_of_the_rows_does_not_matter(query: str, said: list[str], shuffler: random.Random, most: int) -> None:
    passages = passages_of([note(seq, text) for seq, text in enumerate(said, 1)])
    asked = query_terms(query)
    rows = [(one.term, 0, one.weight, one.passages) for one in postings_of({}, passages) if one.term in asked]
    again = list(rows)
    shuffler.shuffle(again)
    first, second = (candidates(asked, found, FIELD, most=most) for found in (rows, again))
    assert list(first.items()) == list(second.items())
    assert len(first) <= most


def asked(query: str | None, vector: object) -> Request:
    return request_of(
        budget_tokens=500, query=query, system=None, flags=(), task=None, reserve_tokens=0, policy=Policy(name="x"),
        counter=ESTIMATOR, expand=(), query_vector=vector, vector_model=DEFAULT_MODEL,  # type: ignore[arg-type]  # deliberately of any type
    )  # fmt: skip


def test_a_vector_of_any_length_and_kind_of_numbers_is_taken() -> None:
    assert asked("launch", [3, 4.0]).query_vector == rounded([0.6, 0.8])
    assert asked("launch", None).query_vector == NO_VECTOR


@pytest.mark.parametrize("vector", [[], [0.0, 0.0], "0.1", [float("nan")], ["a"], 7, [float("inf"), 1.0]])
def test_what_is_no_vector_is_refused_by_name(vector: object) -> None:
    with pytest.raises(InvalidInput, match="query_vector must be"):
        asked("launch", vector)


def test_a_vector_without_its_query_is_refused() -> None:
    with pytest.raises(InvalidInput, match="needs query="):
        asked(None, [1.0])
