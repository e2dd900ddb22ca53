"""Samples of each kind of structured content; approved readings are stored next to them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

GOLDEN: Final = Path(__file__).parents[1] / "unit" / "pipeline" / "content" / "golden"
SOURCES: Final = sorted(GOLDEN.glob("*.txt"))
