"""Summaries of each kind of content match those next to their sources in `golden/`.

After a deliberate change, run this file with Python to regenerate the summaries, and review the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.golden_content import SOURCES
from turnfold_worker.pipeline.content import kind_of, read_content


def summarized(source: Path) -> str:
    """Return the kind of a source, and each of its statements after its worth."""
    text = source.read_text(encoding="utf-8")
    return f"{kind_of(text)}\n\n" + "".join(f"{one.worth:4} {one.text}\n" for one in read_content(text))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_summary_is_as_it_was_read_and_approved(source: Path) -> None:
    assert summarized(source) == source.with_suffix(".summary").read_text(encoding="utf-8")


if __name__ == "__main__":
    for one in SOURCES:
        one.with_suffix(".summary").write_text(summarized(one), encoding="utf-8")
