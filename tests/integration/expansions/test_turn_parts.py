"""A long turn is found, named and shown part by part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conftest import LocalWorker
from support.long_turns import TOPICS, prose
from support.talk import talk
from turnfold import Turnfold, TurnPart, UnknownMarker
from turnfold.testing import LocalTurnfold, in_memory
from turnfold.tools import Lookups, handle

FERRY, ROOF = prose("ferry", tokens=4_500), prose("roof", tokens=4_500)
FACT = "The harbour office promised berth 41 to the school class."
TEXT = f"{FERRY}\n\n{FACT}\n\n{ROOF}"
LONG = 13
"""Number of the long turn."""


def messages() -> list[dict[str, object]]:
    """Return a talk with one long turn about two topics."""
    turns = talk("parts", 60)
    return [*turns[: LONG - 1], {"role": "user", "content": TEXT, "turn_id": "long"}, *turns[LONG - 1 :]]


@pytest.fixture(scope="module")
def folded() -> Iterator[LocalTurnfold]:
    """A conversation with the long turn in a closed segment."""
    with in_memory() as local:
        local.append("c", messages())
        local.wait("c")
        yield local


def parts_of(tf: Turnfold) -> tuple[TurnPart, ...]:
    return tf.expand("c", f"L0:turn-{LONG}", max_tokens=500).parts


def test_a_page_of_a_long_turn_names_its_parts(folded: LocalTurnfold) -> None:
    parts = parts_of(folded)
    assert [(part.number, part.count, part.turn_seq) for part in parts] == [(1, 2, LONG), (2, 2, LONG)]
    assert any(word in TOPICS["ferry"].split() for word in parts[0].title.replace(",", "").split())
    assert any(word in TOPICS["roof"].split() for word in parts[1].title.replace(",", "").split())


def test_each_part_expands_to_its_words_page_by_page(folded: LocalTurnfold) -> None:
    parts = parts_of(folded)
    assert parts
    for part in parts:
        assert folded.expand("c", part.marker).turns[0].content == TEXT[part.start : part.end]
        marker: str | None = part.marker
        read = ""
        while marker is not None:
            page = folded.expand("c", marker, max_tokens=700)
            read += "".join(turn.content for turn in page.turns)
            marker = page.next_marker
        assert read == TEXT[part.start : part.end]


def test_a_summary_of_the_segment_leads_to_the_parts(folded: LocalTurnfold) -> None:
    hit = next(hit for hit in folded.search("c", "scaffold skylight mortar") if hit.part is not None)
    assert folded.expand("c", hit.marker).parts == parts_of(folded)


def test_a_search_names_the_part_that_answers(folded: LocalTurnfold) -> None:
    for query, number in (("scaffold skylight mortar", 2), ("harbour berth 41 school class", 1)):
        best = folded.search("c", query)[0]
        assert best.part is not None
        assert best.part.number == number
    assert "41" in best.snippet
    assert FACT in folded.expand("c", best.part.marker).text


def test_a_turn_of_one_topic_and_a_short_one_have_no_parts(folded: LocalTurnfold) -> None:
    assert folded.expand("c", "L0:turn-2").parts == ()
    assert all(hit.part is None for hit in folded.search("c", "migration") if not hit.first_seq <= LONG <= hit.last_seq)


def test_a_part_stands_in_a_context_that_asks_for_it(folded: LocalTurnfold) -> None:
    _, roof = parts_of(folded)
    context = folded.context("c", budget_tokens=2_000, expand=[roof.marker])
    assert TEXT[roof.start : roof.start + 200].split("\n", maxsplit=1)[0] in context.text
    goes_on = [marker for marker in context.markers if marker.endswith(f"-{roof.end}")]
    assert goes_on
    following = folded.expand("c", goes_on[0])
    assert TEXT.endswith(following.turns[0].content)


def test_tools_name_parts_and_lead_to_them(folded: LocalTurnfold) -> None:
    lookups = Lookups(
        lambda marker, **more: folded.expand("c", marker, **more),
        lambda query, **more: folded.search("c", query, **more),
        lambda **more: folded.anchors("c", **more),
    )

    def told(name: str, **arguments: object) -> str:
        call = {"type": "tool_use", "id": "1", "name": name, "input": arguments}
        return str(handle(call, lookups)["content"])

    ferry, roof = parts_of(folded)
    page = told("expand", marker=f"L0:turn-{LONG}")
    assert f"[turn {LONG}, part 2 of 2 →{roof.marker}] ({roof.title})" in page
    assert f"[turn {LONG}, part 1 of 2 →{ferry.marker}] ({ferry.title})" in told(
        "search", query="berth 41 school class"
    )


@pytest.mark.parametrize(
    "marker", ["L0:turn-13+5-5", "L0:turn-13+9-5", "L1:turn-13+5-9", "L0:turns-13-14+5-9", "L0:turn-13-9"]
)
def test_a_part_that_cannot_be_is_refused(folded: LocalTurnfold, marker: str) -> None:
    with pytest.raises(UnknownMarker):
        folded.expand("c", marker)


def test_after_an_edit_the_parts_are_those_of_the_new_words(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", messages())
    local.settle()
    assert len(parts_of(tf)) == 2
    tf.edit("c", "long", content=f"{ROOF}\n\n{prose('bakery', tokens=2_000)}\n\n{FERRY}")
    assert parts_of(tf) == ()
    local.settle()
    assert len(parts_of(tf)) == 3
    tf.edit("c", "long", content="Never mind.")
    local.settle()
    assert parts_of(tf) == ()
