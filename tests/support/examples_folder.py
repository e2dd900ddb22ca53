"""Access to the conversations of examples/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

EXAMPLES: Final = Path(__file__).parents[2] / "examples"


def example(name: str = "product-discussion") -> list[dict[str, Any]]:
    """Return the messages of an example, in order."""
    return [json.loads(line) for line in (EXAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
