"""What an offline fold refuses."""

from __future__ import annotations

from typing import Any

import pytest

from turnfold import InvalidTurn
from turnfold_worker.offline import fold


@pytest.mark.parametrize("turns", [None, 5, "Hello."])
def test_what_is_no_list_of_turns_is_refused(turns: Any) -> None:
    with pytest.raises(InvalidTurn, match=f"not {'str' if turns == 'Hello.' else type(turns).__name__}"):
        fold(turns)


def test_one_turn_is_a_conversation_too() -> None:
    with fold({"role": "user", "content": "Hello."}) as conversation:
        assert conversation.status().stored == 1
