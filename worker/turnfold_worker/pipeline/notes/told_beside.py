"""Extend notes by related text: the previous value, the question answered, the other value of the turn. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, permutations
from typing import Final, NamedTuple

from turnfold.contract.notes import Note
from turnfold.contract.overtaken import rewritten
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.anchors.statements.attributes import changes_value
from turnfold_worker.pipeline.anchors.statements.frames import other_value
from turnfold_worker.pipeline.anchors.statements.slots import fills, names_what_is_asked
from turnfold_worker.pipeline.anchors.statements.value_changes import overtakes_value
from turnfold_worker.pipeline.notes.overtaken_values import SettledAnchor, says_one_of

_MARKS: Final = ".,;:!?()[]\"'“”"
_LINKS: Final = frozenset({"is", "are", "was", "costs", "cost", "has", "have", "of", "to", "at"})
"""Words that only lead to a value: in 'is 2,000', the number is the value."""
_LONGEST_VALUE: Final = 4
"""Maximum words of a value that is shown with its replacement."""
_LONGEST_QUESTION: Final = 80
"""Maximum code points of a question that is shown before its answer."""


def told_with_more(notes: Iterable[Note], settled: Sequence[SettledAnchor]) -> list[Note]:
    """Return notes extended by the questions that they answer, other values of their turns, and previous values."""
    questions, others, values = _questions_asked(settled), _other_values(settled), _values_before(settled)
    told: list[Note] = []
    for note in notes:
        more = _with_question(note, questions[note.seq]) if note.seq in questions else note
        more = _with_other_value(more, others[note.seq]) if note.seq in others else more
        told.append(_with_value_before(more, values[note.seq]) if note.seq in values else more)
    return told


def _value_before(new: str, old: str) -> str:
    """Return the words of an older statement that a newer one replaces; empty if the two differ in more.

    >>> _value_before("The budget is 3,500 euros.", "The budget is 2,000 euros.")
    '2,000'
    >>> _value_before("We raised the monthly cap to 750 dollars.", "The monthly cap is 500 dollars.")
    '500'
    >>> _value_before("We fly to Porto instead of Lisbon.", "We fly to Lisbon.")
    ''
    """
    states_another = other_value(new, old) or changes_value(new, old) or overtakes_value(new, old)
    return _differing(new, old) if states_another else ""


def _differing(new: str, old: str) -> str:
    """Return the words of `old` that `new` lacks; empty if they are many, or in several places."""
    words = old.rstrip(".!").split()
    there = {word.strip(_MARKS).lower() for word in new.split()}
    own = [at for at, word in enumerate(words) if word.strip(_MARKS).lower() not in there]
    while len(own) > 1 and words[own[0]].lower() in _LINKS:
        del own[0]
    if not own or own[-1] - own[0] + 1 != len(own) or len(own) > _LONGEST_VALUE or 2 * len(own) > len(words):
        return ""
    return " ".join(words[at] for at in own).strip(_MARKS)


def _values_before(settled: Iterable[SettledAnchor]) -> dict[int, list[tuple[frozenset[str], str]]]:
    """Return by turn the stems of replacing statements, with the values that they replace."""
    values: dict[int, list[tuple[frozenset[str], str]]] = {}
    for anchor in settled:
        if not (anchor.is_overtaken and anchor.by_text):
            continue
        if earlier_value := _value_before(anchor.by_text, anchor.text):
            values.setdefault(anchor.by_seq, []).append((frozenset(note_stems(anchor.by_text)), earlier_value))
    return values


def _with_value_before(note: Note, values: list[tuple[frozenset[str], str]]) -> Note:
    """Return a note extended by the value that its own replaced, until its day; each value is used once."""
    for value_before_it in values:
        if says_one_of(note, [value_before_it[0]]):
            values.remove(value_before_it)
            day = f", until {' '.join(note.day.split()[:2])}" if note.day else ""
            return _with_more(note, f" (before: {value_before_it[1]}{day})")
    return note


def _questions_asked(settled: Iterable[SettledAnchor]) -> dict[int, list[tuple[frozenset[str], str]]]:
    """Return by turn the stems of answers that do not name their subject, with the questions that they answer."""
    questions: dict[int, list[tuple[frozenset[str], str]]] = {}
    for anchor in settled:
        if anchor.is_overtaken or anchor.both_stand or not anchor.by_text or len(anchor.text) > _LONGEST_QUESTION:
            continue
        if fills(anchor.text, anchor.by_text) and not names_what_is_asked(anchor.text, anchor.by_text):
            questions.setdefault(anchor.by_seq, []).append((frozenset(note_stems(anchor.by_text)), anchor.text))
    return questions


def _with_question(note: Note, asked: Sequence[tuple[frozenset[str], str]]) -> Note:
    """Return a note with the question it answers in front: '(Which database do we take?) We went with PostgreSQL'."""
    question = next((text for stems, text in asked if says_one_of(note, [stems])), "")
    if not question or note.text.startswith("("):
        return note
    return _with_more(note, before=f"({question}) ")


class OtherValue(NamedTuple):
    """A second value that a turn gives for the same thing."""

    statement: frozenset[str]
    """Stems of the statement of the first value."""
    own: frozenset[str]
    """Those of the stems that the statement of the second value lacks."""
    value: str
    """The words of the second value."""


def _other_values(settled: Iterable[SettledAnchor]) -> dict[int, list[OtherValue]]:
    """Return by turn, for each of its contradictory statements, the value that contradicts it."""
    values_by_turn: dict[int, list[OtherValue]] = {}
    for seq, statements in _contesting(settled):
        for text, other in permutations(statements, 2):
            stems = frozenset(note_stems(text))
            differing = _differing(text, other) or f'"{other}"'
            values_by_turn.setdefault(seq, []).append(
                OtherValue(stems, stems.difference(note_stems(other)), differing)
            )  # fmt: skip
    return values_by_turn


def _contesting(settled: Iterable[SettledAnchor]) -> Iterator[tuple[int, list[str]]]:
    """Return groups of statements of one turn that contradict each other, with its number.

    Of three such statements, each anchor names only the next: pairs that share a statement are joined.
    """
    groups_by_turn: dict[int, list[list[str]]] = {}
    for anchor in settled:
        if anchor.both_stand and anchor.by_seq == anchor.seq:
            groups = groups_by_turn.setdefault(anchor.seq, [])
            pair = [anchor.text, anchor.by_text]
            near = [group for group in groups if not set(pair).isdisjoint(group)]
            groups[:] = [group for group in groups if group not in near]
            groups.append(list(dict.fromkeys([*chain.from_iterable(near), *pair])))
    return ((seq, group) for seq, groups in groups_by_turn.items() for group in groups)


def _with_other_value(note: Note, other_value_pairs: Sequence[OtherValue]) -> Note:
    """Return a note extended by another value of its turn: 'The rent is 800 (or 900, both said …)'."""
    stems = note_stems(note.text)
    values = [
        other.value
        for other in other_value_pairs
        if other.own and other.own.issubset(stems) and says_one_of(note, [other.statement])
    ]
    values = list(dict.fromkeys(values))
    said = "both" if len(values) == 1 else "all"
    return _with_more(note, f" (or {' or '.join(values)}, {said} said in turn {note.seq})") if values else note


def _with_more(note: Note, more: str = "", *, before: str = "") -> Note:
    """Return a note with text before or after its own that has the least weight."""
    return rewritten(note, f"{before}{note.text}{more}", f"{before}{note.brief}{more}")
