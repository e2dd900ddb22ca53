"""Invented talk whose clauses are labelled by how much a reader would miss them when asked months later.

3  an event, a plan, a decision, a name, a number, a date      2  a taste, a habit, a possession, a stated reason
1  an opinion about something named, advice                     0  greetings, praise, agreement, moods, repetition

A talk begins with `# talk: …`; a line is a turn, `Speaker: [3] clause [0] clause`. None comes from a real person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_LABEL: Final = re.compile(r"\[([0-3])\]\s*")
HEAD: Final = "# talk"
"""Begins the first line of a talk."""


class LabelledClause(NamedTuple):
    """Code points of a turn's content, and their label."""

    start: int
    end: int
    label: int


class LabelledTurn(NamedTuple):
    """A turn without the labels, and the labels."""

    speaker: str
    content: str
    clauses: tuple[LabelledClause, ...]


def labelled_talks() -> Iterator[list[LabelledTurn]]:
    """Yield every talk of every file, in order."""
    for path in sorted(Path(__file__).parent.glob("*.txt")):
        talk: list[LabelledTurn] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith(HEAD):
                if talk:
                    yield talk
                talk = []
            elif line.strip():
                talk.append(labelled_turn(line))
        yield talk


def labelled_turn(line: str) -> LabelledTurn:
    """Parse a turn's line; raises `ValueError` if it has no speaker or no label."""
    speaker, content, labelled = labelled_parts(line, _LABEL)
    clauses: list[LabelledClause] = []
    for label, text in labelled:
        content += " " if content else ""
        clauses.append(LabelledClause(len(content), len(content) + len(text), int(label)))
        content += text
    return LabelledTurn(speaker, content, tuple(clauses))


def labelled_parts(line: str, label: re.Pattern[str]) -> tuple[str, str, list[tuple[str, str]]]:
    """Return the speaker of a turn's line, the text before its first label, and each label with its clause.

    Raises `ValueError` if the line has no speaker or no label.
    """
    speaker, _, rest = line.partition(":")
    head, *parts = label.split(rest.strip())
    if not speaker.strip() or not parts:
        msg = f"a labelled turn reads `Speaker: [label] clause`, not {line[:60]!r}"
        raise ValueError(msg)
    clauses = [(mark, text.strip()) for mark, text in zip(parts[::2], parts[1::2], strict=True)]
    return speaker.strip(), head.strip(), clauses
