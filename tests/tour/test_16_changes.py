"""Changes: turns can be edited, deleted and rewound.

Every read shows a change at once. In the background, a worker folds only the affected segments again, until no trace of
the old words is left. `rewind` cuts the conversation back to a given turn, so that it can continue from there.
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
