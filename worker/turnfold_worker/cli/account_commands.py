"""Translate the API calls that a context's account recommends into commands."""

from __future__ import annotations

import shlex
from typing import Final

ONCE_A_WORKER_RUNS: Final = "once a worker runs: `turnfold up` starts one"


def commands_for(conversation: str) -> dict[str, str]:
    """Map each call that a context's account recommends to the command that does the same."""
    name = shlex.quote(conversation)
    return {
        "anchors()": f"turnfold anchors {name}",
        "wait()": f"turnfold status {name} --wait 30",
        "a larger budget_tokens": "a larger --budget",
    }


OFFLINE_COMMANDS: Final = dict.fromkeys(commands_for(""), "a larger --budget")
"""`commands_for` a conversation that is not stored: only a larger context can show more of it."""
