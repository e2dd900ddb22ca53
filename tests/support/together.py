"""Files that one process runs together: each process that loads the sentence model imports for seconds."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling

WITH_A_SENTENCE_MODEL = "tests/integration/sentence_vectors"


class FilesTogether(LoadFileScheduling):
    """xdist's `--dist loadfile`, but for files that are dear to begin in each process."""

    def _split_scope(self, nodeid: str) -> str:
        return WITH_A_SENTENCE_MODEL if nodeid.startswith(f"{WITH_A_SENTENCE_MODEL}/") else super()._split_scope(nodeid)
