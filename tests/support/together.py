"""Files that one process runs together: what they need takes each process seconds to begin."""

from __future__ import annotations

from typing import Final

from xdist.scheduler import LoadFileScheduling

FOLDERS: Final = {
    "tests/integration/gateway": "a stack of servers and workers, and a gateway",
    "tests/integration/sentence_vectors": "the sentence model",
    "tests/tour": "what `turnfold up` starts",
}
"""Folders of such files, and what they share."""
HALVED: Final = ("tests/faults/test_kills.py", "tests/faults/test_upkeep_under_kills.py")
"""Files of so many minutes that two processes run them: tests on SQLite, and the others."""


class FilesTogether(LoadFileScheduling):
    """xdist's `--dist loadfile`, but for files that are dear to begin in each process."""

    def _split_scope(self, nodeid: str) -> str:
        own: str = super()._split_scope(nodeid)
        if own in HALVED:
            return f"{own} {'sqlite' in nodeid}"
        return next((folder for folder in FOLDERS if nodeid.startswith(f"{folder}/")), own)
