"""Every word of a rule's note is in its turns."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.examples_folder import example
from support.talk import talk
from turnfold import Note
from turnfold_worker.offline import FoldedConversation, fold

WORD = re.compile(r"\w+")
ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
SHORT = {"segment_max_turns": 8, "segment_min_turns": 4}


def unsaid(conversation: FoldedConversation, note: Note) -> set[str]:
    """Return the words of a note that are not in its turns, except for resolved days and the words before them."""
    turns = conversation.expand(note.marker).turns
    assert tuple(turn.turn_id for turn in turns) == note.turn_ids
    said = " ".join(
        [*(f"{turn.content} {ORDINAL.sub('', turn.content)}" for turn in turns), note.day_meant or "", note.day]
    )
    before_day = {"on", "in", "the"} if note.day_meant else set()
    return set(WORD.findall(note.text.lower())) - set(WORD.findall(said.lower())) - before_day


@examples(20)
@given(seed=st.integers(0, 10_000), turns=st.integers(12, 30))
def test_every_word_of_a_note_is_said_in_its_turns(seed: int, turns: int) -> None:
    with fold(talk(seed, turns), settings=SHORT) as conversation:
        notes = conversation.notes(states=None, min_importance=0)
        assert notes
        assert [note for note in notes if unsaid(conversation, note)] == []


def test_every_word_of_a_note_of_the_example_is_said_in_its_turns() -> None:
    with fold(example()) as conversation:
        notes = conversation.notes(states=None, min_importance=0)
        assert len(notes) > 300
        assert [(note.text, words) for note in notes if (words := unsaid(conversation, note))] == []
