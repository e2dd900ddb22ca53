"""Summaries of each kind of content, beside their sources in `golden/`.

After a wanted change run this file with Python: it writes the summaries anew; read what changed before you keep it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.golden_content import SOURCES
from turnfold_worker.pipeline.content import kind_of, read_content


def summarized(source: Path) -> str:
    """The kind, and each statement behind its worth."""
    text = source.read_text(encoding="utf-8")
    return f"{kind_of(text)}\n\n" + "".join(f"{one.worth:4} {one.text}\n" for one in read_content(text))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_summary_is_as_it_was_read_and_approved(source: Path) -> None:
    assert summarized(source) == source.with_suffix(".summary").read_text(encoding="utf-8")


if __name__ == "__main__":
    for one in SOURCES:
        one.with_suffix(".summary").write_text(summarized(one), encoding="utf-8")
