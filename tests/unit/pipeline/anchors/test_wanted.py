"""A request for words or a text is settled by a reply that supplies them; a request for a deed is not."""

from __future__ import annotations

import pytest

from support.wild_turns import said
from turnfold.contract.records import AnchorState, AnchorType, Role
from turnfold_worker.pipeline.anchors.drafts import is_a_text
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn

TEXT = "The roof needs new tiles, and its beams are dry. Each tile weighs little. " * 10
CODE = "Here it is.\n```python\nprint(1)\n```"
LIST = "- tiles\n- beams\n- nails\n- paint"


def states(asked: str, reply: str, *, name: str | None = None) -> set[AnchorState]:
    """Return the states of a request's commitments after a reply."""
    turns = [said(asked, name=name), said(reply, seq=2, role=Role.ASSISTANT)]
    found = extract_anchors([read_turn(turn) for turn in turns], FoldSettings())
    return {one.state for one in found if one.turn_seq == 1 and one.type is AnchorType.COMMITMENT}


@pytest.mark.parametrize("reply", [TEXT, CODE, LIST])
@pytest.mark.parametrize(
    "asked",
    [
        "Write an essay about the roof of the barn.", "Please improve this function for the barn.",
        "Can you implement the login of the barn's site?", "Let's dive into the costs of the roof.",
        "I'd like to add a chapter about the roof to the report.", "and also explain the costs of the roof",
        "Can we look at another roof, maybe with more tiles?", "I need you to calculate the costs of the roof.",
        "Solve it without considering the order of the tiles.", "I'd love to get your feedback on the roof.",
        "Could someone help me figure out the costs of the roof?",
        "If there is anything about the roof to know, let me know.",
    ],
)  # fmt: skip
def test_a_text_code_or_a_list_settles_what_an_assistant_was_asked_to_write(asked: str, reply: str) -> None:
    assert AnchorState.ACTIVE not in states(asked, reply)


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Please create the report and order the tiles.", TEXT),
        ("Please send the roof's plan to Omar.", TEXT),
        ("Add a meeting about the roof to my calendar.", TEXT),
        ("Write the report about the roof by Friday.", TEXT),
        ("I'll write the chapter about the roof.", TEXT),
        ("I'll also look into the costs of the roof.", TEXT),
        ("Write an essay about the roof of the barn.", "Sure, I'll do it."),
        ("Write an essay about the roof of the barn.", "How long?"),
        ("Can you check if the hall is free?", "I'll look at it tomorrow."),
        ("Can you tell me the code of the cellar?", "Sure."),
    ],
)
def test_what_no_reply_has_done_stays_open(asked: str, reply: str) -> None:
    assert states(asked, reply) == {AnchorState.ACTIVE}


def test_words_are_settled_by_a_short_reply_that_says_them() -> None:
    assert states("Can you tell me the code of the cellar?", "It is on the lid.") == {AnchorState.RESOLVED}


def test_a_tool_that_is_called_is_no_text() -> None:
    call = {"tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}
    turns = [said("Write the plan of the roof."), said(TEXT, seq=2, role=Role.ASSISTANT, parts=call)]
    found = extract_anchors([read_turn(turn) for turn in turns], FoldSettings())
    assert [one.state for one in found if one.turn_seq == 1] == [AnchorState.ACTIVE]


def test_what_an_assistants_text_announces_it_also_tells() -> None:
    for opening, state in (
        ("I'll explain the costs of the roof.", AnchorState.RESOLVED),
        ("I'll send the plan of the roof to Omar.", AnchorState.ACTIVE),
        ("I'll explain the costs of the roof whenever you ask about them.", AnchorState.ACTIVE),
    ):
        found = extract_anchors([read_turn(said(f"{opening} {TEXT}", role=Role.ASSISTANT))], FoldSettings())
        assert [one.state for one in found if one.text == opening] == [state]


def test_a_bold_label_asks_nobody() -> None:
    for text, kept in (("**Follow Up with Omar**:", 0), ("**Follow up with Omar by 3 May**:", 1)):
        found = extract_anchors([read_turn(said(f"{text}\n\n{TEXT}", role=Role.ASSISTANT))], FoldSettings())
        assert sum(one.type is AnchorType.COMMITMENT for one in found) == kept


def test_only_an_assistants_turn_is_a_text() -> None:
    assert not is_a_text(read_turn(said(TEXT)))
    assert is_a_text(read_turn(said(TEXT, role=Role.ASSISTANT)))
    assert not is_a_text(read_turn(said("Sure, I'll do it.", role=Role.ASSISTANT)))
