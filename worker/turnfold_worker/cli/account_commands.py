"""What a context's account calls a call, as the command that does it."""

from __future__ import annotations

import shlex
from typing import Final

ONCE_A_WORKER_RUNS: Final = "once a worker runs: `turnfold up` starts one"


def commands_for(conversation: str) -> dict[str, str]:
    """Where a context's account names a call: the command that does it."""
    name = shlex.quote(conversation)
    return {
        "anchors()": f"turnfold anchors {name}",
        "wait()": f"turnfold status {name} --wait 30",
        "a larger budget_tokens": "a larger --budget",
    }


OFFLINE_COMMANDS: Final = dict.fromkeys(commands_for(""), "a larger --budget")
"""As `commands_for`, of a conversation that is not kept: only its context can show more."""
