"""Relations are listed, looked up by subject, and lead a search from a tie to a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from turnfold import InvalidInput
from turnfold.contract.terms import terms
from turnfold.read.relations import with_linked_names
from turnfold_worker.offline import FoldedConversation, fold

_SMALL_TALK = [
    "The kettle is on again.", "Rain all week, says the paper.", "The bus was late by a lot.",
    "Somebody painted the fence green.", "The bakery closes early these days.", "A new roof is on the barn.",
]  # fmt: skip


def turn(number: int, name: str, content: str) -> dict[str, Any]:
    return {"role": "user", "turn_id": f"t{number}", "name": name, "content": content}


@pytest.fixture(scope="module")
def folded() -> Iterator[FoldedConversation]:
    said = [
        ("Ana", "Yesterday my sister Zoe Marsh came by train."),
        *(("Omar", text) for text in _SMALL_TALK),
        ("Omar", "The billing service is owned by Priya Rao now."),
        *(("Ana", f"{text} Twice.") for text in _SMALL_TALK),
        ("Omar", "I heard that Zoe Marsh bought a houseboat in Ghent."),
        *(("Omar", f"{text} Again.") for text in _SMALL_TALK),
        ("Ana", "Zoe Marsh plays the cello."),
        *(("Ana", f"{text} Indeed.") for text in _SMALL_TALK),
    ]
    turns = [turn(number, *one) for number, one in enumerate(said, 1)]
    with fold(turns, settings={"segment_max_turns": 4}) as conversation:
        yield conversation


def test_they_are_listed_in_order_and_lead_to_their_segments(folded: FoldedConversation) -> None:
    every = folded.relations()
    assert [one.text for one in every][:2] == ["Ana's sister is Zoe Marsh", "billing service is owned by Priya Rao"]
    assert [one.first_seq for one in every] == sorted(one.first_seq for one in every)
    assert "Zoe Marsh" in folded.expand(every[0].marker).text
    assert folded.relations(limit=1) == every[:1]


def test_what_is_about_somebody_comes_with_what_is_said_of_the_names_in_it(folded: FoldedConversation) -> None:
    about = [one.text for one in folded.relations(about="Ana's sister")]
    assert about[0] == "Ana's sister is Zoe Marsh"
    assert "Zoe Marsh plays the cello" in about
    assert not any("Priya" in text for text in about)
    assert folded.relations(about="Nobody at all") == []


@pytest.mark.parametrize("asked", [{"about": "  "}, {"limit": 0}])
def test_what_makes_no_sense_is_refused(folded: FoldedConversation, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        folded.relations(**asked)


def test_a_search_for_a_tie_finds_what_is_said_of_who_it_is(folded: FoldedConversation) -> None:
    hits = folded.search("Where does Ana's sister have her boat?")
    assert any(hit.first_seq <= 15 <= hit.last_seq for hit in hits)
    assert any("houseboat in Ghent" in hit.snippet for hit in hits)


@pytest.mark.parametrize(
    ("query", "relation", "names"),
    [
        ("Ana's sister", "Ana's sister is Zoe", {"zoe"}), ("my sister", "user's sister is Zoe", {"zoe"}),
        ("Omar's sister", "Ana's sister is Zoe", set()), ("Ana", "Ana's sister is Zoe", set()),
        ("who owns the billing service", "billing service is owned by Priya", {"priya"}),
        ("when did Ana visit Rome", "Ana visited Rome with Zoe", set()),
        ("the service", "billing service is owned by Priya", set()), ("", "Ana's sister is Zoe", set()),
    ],
)  # fmt: skip
def test_a_query_means_who_a_relation_names_only_where_it_says_whose_and_what(
    query: str, relation: str, names: set[str]
) -> None:
    asked = terms(query)
    assert set(with_linked_names(asked, [relation])) == {*asked, *(term for name in names for term in terms(name))}
