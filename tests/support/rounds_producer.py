"""Append conversations round by round with any version of the SDK; imports nothing from the tests.

`python -P rounds_producer.py FILE`: for each line `FIRST LAST` on standard input, append those turns of every
conversation in FILE, and print the line again when all are acknowledged. Settings are the `TURNFOLD_*` variables.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from turnfold import Turnfold, Unavailable

PAUSE_SECONDS = 0.05


def main() -> None:
    """Serve as a producer until standard input ends."""
    conversations = json.loads(Path(sys.argv[1]).read_text())
    with Turnfold.from_env() as client:
        for line in sys.stdin:
            first, last = map(int, line.split())
            for conversation in conversations:
                tenant = client.for_tenant(conversation["tenant"])
                _append(tenant, conversation["id"], conversation["turns"][first:last])
            sys.stdout.write(line)
            sys.stdout.flush()


def _append(client: Turnfold, conversation: str, turns: Any) -> None:
    """Retry until the turns are acknowledged, as every platform must."""
    while turns:
        try:
            client.append(conversation, turns)
        except Unavailable as error:
            turns = error.turns
            time.sleep(PAUSE_SECONDS)
        else:
            return


if __name__ == "__main__":
    main()
