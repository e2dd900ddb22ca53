"""The environment of processes that tests start."""

from __future__ import annotations

import os
import sys


def child_environment(**variables: str) -> dict[str, str]:
    """This process's variables and these; a Python started with them imports the sources that this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables}
