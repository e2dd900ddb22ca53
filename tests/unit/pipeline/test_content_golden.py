"""Summaries of each kind of content, beside their sources in `golden/`.

After a wanted change run this file with Python: it writes the summaries anew; read what changed before you keep it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.content import read_content, summarize_content

GOLDEN: Final = Path(__file__).parent / "golden"
SOURCES: Final = sorted(GOLDEN.glob("*.txt"))


def summarized(source: Path) -> str:
    """The kind, and the summaries in a sixth and in a half of the source's tokens."""
    text = source.read_text(encoding="utf-8")
    tokens = estimate_tokens(text)
    short, long = (summarize_content(text, max_tokens=tokens // share) for share in (6, 2))
    return f"{read_content(text).kind}\n\n--- in a sixth\n{short}\n\n--- in a half\n{long}\n"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_summary_is_as_it_was_read_and_approved(source: Path) -> None:
    assert summarized(source) == source.with_suffix(".summary").read_text(encoding="utf-8")


if __name__ == "__main__":
    for one in SOURCES:
        one.with_suffix(".summary").write_text(summarized(one), encoding="utf-8")
