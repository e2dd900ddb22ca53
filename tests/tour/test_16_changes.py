"""Changes: what was said can be edited, deleted and taken back.

Reads show a change at once. A worker folds again only the segments that it touches; of the old words nothing is left.
`rewind` cuts a conversation back to a turn, to answer again from there.
"""

from __future__ import annotations

from support.examples_folder import example
from turnfold import Turnfold


def test_what_was_said_can_be_changed_and_taken_back(turnfold: Turnfold) -> None:
    ids = turnfold.append("conv", example()).turn_ids
    turnfold.wait("conv")
    turnfold.edit("conv", ids[0], content="We must use MariaDB 11.")
    assert turnfold.expand("conv", "L0:turn-1").turns[0].content == "We must use MariaDB 11."
    turnfold.delete("conv", ids[1])
    turnfold.rewind("conv", after=ids[9])
    turnfold.append("conv", {"role": "user", "content": "Let us go on from here."})
    assert turnfold.wait("conv").stored == 11
    turns = turnfold.expand("conv", "L0:turns-1-11").turns
    assert [turn.turn_id for turn in turns[:10]] == ids[:10]
    assert turns[1].content == ""
    assert turns[10].content == "Let us go on from here."
