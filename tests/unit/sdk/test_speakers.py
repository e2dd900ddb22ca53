"""A person has the same name in levels and in contexts."""

from __future__ import annotations

import pytest

from turnfold.assemble.forms.render_text import turn_opening
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.speakers import MAX_SPEAKER, speaker_label
from turnfold_worker.pipeline.turns.reading import read_turn


@pytest.mark.parametrize(
    "name",
    [None, "", "Mara", "  Mara\nLee ", "[turns 1-9 →L1:x]", "7up", "123", "a:b", "\u202ertl", "x" * 90, "Zoë", "-"],
)
def test_a_speaker_is_called_the_same_wherever_words_are_shown(name: str | None) -> None:
    turn = StoredTurn(seq=1, turn_id="t", role=Role.USER, content="Hi.", name=name)
    label = speaker_label(turn)
    assert turn_opening(turn) == f"{label}: "
    assert read_turn(turn).speaker == label
    assert label[0].isalpha()
    assert len(label) <= MAX_SPEAKER
    assert not set(label) & set(":[]→\n\u202e")
