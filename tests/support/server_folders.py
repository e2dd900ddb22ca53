"""Folders for servers that tests start.

Not below pytest's own: a run that starts closes that to other accounts, such as PostgreSQL's, and with the same
`--basetemp` removes it, while servers of an earlier run are still at work there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def own_folder() -> Iterator[Path]:
    """An empty folder that no other run knows of; gone afterwards."""
    with TemporaryDirectory(prefix="turnfold-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
