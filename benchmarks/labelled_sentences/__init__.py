"""Invented sentences, labelled by kind of statement, by authors who had seen no rule; none comes from a real person.

L  a limit that holds from now on        I  an order for all that follows       P  a lasting taste or habit
F  a lasting fact                        D  a decision made now                 C  a promise, or work taken or given
N  none of these; half of the single sentences look like one: true in the past, in a game, or just this once

A line is `L<TAB>sentence`, or a turn of a talk, which begins with `# talk: …`: `Speaker: [L] clause [N] clause`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from labelled_talk import HEAD, labelled_parts

KINDS: Final = {
    "L": "constraint", "I": "instruction", "P": "preference", "F": "fact", "D": "decision", "C": "commitment",
    "N": "none",
}  # fmt: skip
_LABEL: Final = re.compile(r"\[([LIPFDCN])\]\s*")


class LabelledSentence(NamedTuple):
    """A sentence or clause, its kind, and its file, which names the author."""

    text: str
    kind: str
    author: str
    speaker: str
    """Empty for a single sentence."""


def labelled_sentences() -> Iterator[LabelledSentence]:
    """Yield all sentences in order. Raises `ValueError` for a line without a label."""
    for path in sorted(Path(__file__).parent.glob("*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith(HEAD) and line.strip():
                yield from (sentence._replace(author=path.stem) for sentence in _of_line(line))


def _of_line(line: str) -> Iterator[LabelledSentence]:
    label, tab, text = line.partition("\t")
    if tab and label in KINDS:
        yield LabelledSentence(text.strip(), KINDS[label], "", "")
        return
    speaker, _, clauses = labelled_parts(line, _LABEL)
    yield from (LabelledSentence(clause, KINDS[mark], "", speaker) for mark, clause in clauses if clause)
