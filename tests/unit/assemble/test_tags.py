"""The tags of a line that stands for many nodes."""

from __future__ import annotations

from turnfold.assemble.forms.tags import best_tags
from turnfold.contract.records import Node


def node(idx: int) -> Node:
    return Node(
        height=0, idx=idx, first_seq=idx * 10 + 1, last_seq=idx * 10 + 10, slug="s", tokens=(9, 3, 2, 1), importance=5
    )


def test_tags_are_taken_in_turn_without_the_names_of_their_parts_and_none_twice() -> None:
    texts = {
        (0, 0, 3): "tags: orders, eu-west-1; names: Acme\n",
        (0, 1, 3): "tags: billing, orders; names: Acme; says: Ana works at Acme\n",
    }
    assert best_tags([node(0), node(1)], texts) == ("orders", "billing", "eu-west-1", "Acme", "Ana works at Acme")


def test_a_line_of_other_words_gives_them_as_they_are() -> None:
    assert best_tags([node(0)], {(0, 0, 3): "a time: 5 pm, tea [x]; milk\n"}) == ("a time: 5 pm", "tea  x", "milk")
