"""What the SDK says to a program, said to a person at a terminal: with the commands and options that are there."""

from __future__ import annotations

import shlex
from typing import Final

ONCE_A_WORKER_RUNS: Final = "once a worker runs: `turnfold up` starts one"

SAID: Final = {
    "anchors(…, states=None) lists them": "`turnfold anchors CONV --state all` lists them",
    "ids are those of `append`'s receipt": "give its id, or its marker in a context, such as L0:turn-17",
    ": append a turn first": ": is the name right? `turnfold import FILE` makes one",
    "Append `error.turns` again in a while": "try again in a while",
    ": call expand for others": ": `turnfold expand` prints others",
    "`forget` erases": "`turnfold forget` erases",
    "budget_tokens=": "--budget ",
    "use an aware datetime such as datetime.now(UTC)": "write it as 2025-03-01T09:30:00Z",
    "must be a datetime or ISO 8601 text": "must be ISO 8601 text such as 2025-03-01T09:30:00Z",
    "must be a Turn or a message dict with role and content": "must be a JSON object with role and content",
    "unknown role None": "the turn has no role",
    "metadata must be a dict": "metadata must be an object",
}
_JSON_NAMES: Final = {
    "str": "text", "dict": "an object", "list": "a list", "NoneType": "null", "int": "a number", "float": "a number",
    "bool": "true or false",
}  # fmt: skip


def at_the_terminal(message: str) -> str:
    """An error of the SDK in the words of the command."""
    for said, instead in SAID.items():
        message = message.replace(said, instead)
    return "\n".join(map(_with_json_names, message.split("\n")))


def _with_json_names(line: str) -> str:
    said, found, name = line.rpartition(", not ")
    return f"{said}{found}{_JSON_NAMES.get(name, name)}"


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
