"""Assign test files to xdist processes, so that slow shared set-ups run in one process each."""

from __future__ import annotations

from typing import Final

from xdist.scheduler import LoadFileScheduling

FOLDERS: Final = {
    "tests/integration/frameworks": "packages of frameworks, each of which takes seconds to import",
    "tests/integration/gateway": "a stack of servers and workers, and a gateway",
    "tests/integration/sentence_vectors": "the sentence model",
    "tests/tour": "what `turnfold up` starts",
}
"""Folders whose files run in one process, and what they share."""
HALVED: Final = ("tests/faults/test_kills.py", "tests/faults/test_upkeep_under_kills.py")
"""Files that take minutes, split over two processes: tests on SQLite, and all others."""


class FilesTogether(LoadFileScheduling):
    """xdist's `--dist loadfile`, except for files whose set-up is expensive in each process."""

    def _split_scope(self, nodeid: str) -> str:
        own: str = super()._split_scope(nodeid)
        if own in HALVED:
            return f"{own} {'sqlite' in nodeid}"
        return next((folder for folder in FOLDERS if nodeid.startswith(f"{folder}/")), own)
