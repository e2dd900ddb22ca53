"""Google's Agent Development Kit, installed in a folder of its own because its pins would hold back the environment."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ADK_FOLDER: Final = Path(sys.prefix) / "adk"


@contextmanager
def google_adk() -> Iterator[None]:
    """Make the kit importable within the block."""
    sys.path.append(str(ADK_FOLDER))
    try:
        yield
    finally:
        sys.path.remove(str(ADK_FOLDER))
