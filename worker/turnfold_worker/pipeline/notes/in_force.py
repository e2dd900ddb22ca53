"""Which notes still hold: what was overtaken leaves, what took its place comes in first. Pure.

A note follows the anchors over the same words. A statement that names the value whose place it takes, 'the launch is
on 14 May, not 7 May', overtakes what was said before with that value, whether or not it became an anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, permutations, takewhile
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.notes import Note, in_order
from turnfold.contract.overtaken import NEVER, Overtaken, OvertakenIndex, rewritten
from turnfold.contract.records import AnchorState, AnchorType
from turnfold.contract.terms import STEMS
from turnfold.contract.words import note_stems, note_words
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.statements.attributes import changes_value
from turnfold_worker.pipeline.anchors.statements.denials import denial_of
from turnfold_worker.pipeline.anchors.statements.frames import other_value
from turnfold_worker.pipeline.anchors.statements.numbers import corrected_value
from turnfold_worker.pipeline.anchors.statements.slots import fills, names_what_is_asked
from turnfold_worker.pipeline.anchors.statements.value_changes import overtakes_value
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.turns.reading import Reading

_IN_FORCE: Final = 3.0
"""How much more a note is worth that takes the place of another."""
_SETTLES: Final = 2.0
"""How much more a note is worth that decides or corrects something."""
_SETTLING: Final = frozenset({AnchorType.DECISION, AnchorType.CORRECTION})
_BESIDE_IT: Final = 2.0
"""How much more the notes right before and after it are worth: 'Refunds until 24 hours. So forget the old rule.'"""
_MOST_SETTLING: Final = 16
"""Notes that are kept beside a segment's best ones because they settle something."""
_MOST_STEMS: Final = 16
_FEW_DIGITS: Final = 3
"""Digits from which a value is told by itself: with fewer, two words of its subject have to stand beside it."""
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_VALUE: Final = rf"(?:{_MONTH} )?[^\s\w]?\d(?:[\d\w%]|[.,:/-](?=\w))*(?: {_MONTH}(?!\w))?"
_TAKES_BACK: Final = lazy_pattern(
    rf"(?<!\w)(?:not|instead of|rather than|no longer"
    rf"|(?:went|goes|gone|moved?s?|changed?s?|rose|raised|rises|grew|fell|dropped|lowered|cut|increased|reduced)"
    rf"(?: (?:up|down|back))? from(?= \S+ to {_VALUE})) (?P<value>{_VALUE})",
    re.IGNORECASE,
)
_DENIALS: Final = frozenset({"not", "never", "none", "nothing", "nobody"})
_TELLING_NUMBER: Final = lazy_pattern(r"\d\W?\d")
"""A single digit is the value of too many things."""
_DIGIT: Final = lazy_pattern(r"\d")
_UNIT: Final = lazy_pattern(r"\d[\d.,:%]{0,20} ([^\W\d_]+)")
_ITEM_ENDS: Final = lazy_pattern(r"[,;] (?:and |or )?")
_PARTS: Final = lazy_pattern(r"[^\W_]+")
_MARKS: Final = ".,;:!?()[]\"'“”"
_LINKS: Final = frozenset({"is", "are", "was", "costs", "cost", "has", "have", "of", "to", "at"})
"""Words that only lead to a value: of 'is 2,000' the number is told."""
_LONGEST_VALUE: Final = 4
"""Words of a value that is told beside the one that took its place."""
_LONGEST_QUESTION: Final = 80
"""Code points of a question that is told before its answer."""


class SettledAnchor(NamedTuple):
    """An anchor that is over, and what it is over by; or one that its own turn contradicts, and by what."""

    seq: int
    text: str
    is_overtaken: bool
    """Another value or rule took its place; else it was answered or done."""
    by_seq: int = NEVER
    by_text: str = ""
    both_stand: bool = False
    """One turn gives a thing two values, and nothing tells which one holds; or a later turn corrects a part of it."""
    is_correction: bool = False
    """It is not over: it corrects something, maybe what no anchor holds."""

    @classmethod
    def standing(cls, seq: int, text: str, by_seq: int, by_text: str) -> SettledAnchor:
        """The first of two values of a turn, or what holds an address beside a corrected number, and the other one."""
        return cls(seq, text, is_overtaken=False, by_seq=by_seq, by_text=by_text, both_stand=True)


def corrections_among(settled: Iterable[SettledAnchor]) -> list[tuple[int, str]]:
    """The turns and words of anchors that correct something."""
    return [(anchor.seq, anchor.text) for anchor in settled if anchor.is_correction]


def overtaken_by_anchors(settled: Iterable[SettledAnchor]) -> list[Overtaken]:
    """What the anchors that are over said, and the values among it that other turns may have stated."""
    overtaken: list[Overtaken] = []
    for anchor in settled:
        if anchor.is_correction:
            continue
        if anchor.both_stand:
            overtaken += _corrected_in_part(anchor)
            continue
        stems, instead = note_stems(anchor.text), frozenset(note_stems(anchor.by_text))
        own = tuple(stem for stem in stems if stem not in instead)
        if not instead:
            # Of what was taken away without another in its place, a number tells it from what its turn says like it.
            own = tuple(filter(_DIGIT.search, stems)) or own
        # What was answered is over whatever the answer repeats; what was replaced differs from what replaced it.
        overtaken.append(
            Overtaken(anchor.seq, anchor.by_seq, own[:_MOST_STEMS] if anchor.is_overtaken else (), stems[:_MOST_STEMS])
        )
        if anchor.is_overtaken and anchor.by_text:
            subject = tuple(filter(_tells, stems))[:_MOST_STEMS]
            values = [stem for stem in own if _TELLING_NUMBER.search(stem)]
            overtaken += [
                Overtaken(0, anchor.by_seq, (overtaken_value,), subject, 2)
                for overtaken_value in values
                if len(subject) > 1
            ]
    return overtaken


def _corrected_in_part(anchor: SettledAnchor) -> list[Overtaken]:
    """The value of a statement in the place of which a later one states another; the rest of it goes on to hold."""
    if anchor.by_seq == anchor.seq or denial_of(anchor.by_text):
        return []
    values = corrected_value(anchor.text, anchor.by_text)
    if values is None:
        return []
    written, instead = values
    stems = note_stems(written)
    return [Overtaken(anchor.seq, anchor.by_seq, stems, note_stems(anchor.text)[:_MOST_STEMS], 0, written, instead)]


def overtaken_by_notes(notes: Sequence[Note]) -> list[Overtaken]:
    """The values whose places notes take by naming them; `notes` are in the order of the turns."""
    overtaken: list[Overtaken] = []
    for at, note in enumerate(notes):
        taken_back = _taken_back(note.text)
        # With a value of its own: 'not 48' alone puts nothing in its place.
        if taken_back is None or not _DIGIT.search(_TAKES_BACK.sub(" ", note.text)):
            continue
        values = tuple(map(STEMS.__getitem__, note_words(taken_back["value"])))
        if not values:
            continue
        is_plain = sum(map(str.isdigit, taken_back["value"])) >= _FEW_DIGITS or len(values) > 1
        # '48 seats' needs its unit to be told; '2,400 euros' are many things' price.
        without = frozenset(values) | (_units(note.text) if is_plain else frozenset())
        if subject := _subject(notes, at, without):
            overtaken.append(Overtaken(0, note.seq, values, subject, 1 if is_plain else 2))
    return overtaken


def _taken_back(text: str) -> re.Match[str] | None:
    """The value whose place another takes. Each has a digit, which most texts have not."""
    return _TAKES_BACK.search(text) if _DIGIT.search(text) else None


def _subject(notes: Sequence[Note], at: int, without: frozenset[str]) -> tuple[str, ...]:
    """What a note speaks of; where it says that with fewer than two words, also its turn.

    Where it says nothing of it, 'Corrected: 84, not 48', also the turn before, which it takes up.
    """
    note = notes[at]
    own = list(_telling(note.text, without))
    if len(own) > 1:
        return tuple(dict.fromkeys(own))[:_MOST_STEMS]
    first_seq = note.seq if own or note.place else note.seq - 1
    near = chain.from_iterable(_telling(other.text, without) for other in _from_turn(notes, at, first_seq))
    return tuple(dict.fromkeys([*own, *near]))[:_MOST_STEMS] or _common(note.text, without)


def _from_turn(notes: Sequence[Note], at: int, seq: int) -> Iterator[Note]:
    """Notes from the first one of a turn to the last one of the turn of the note at a place."""
    start = at
    while start and notes[start - 1].seq >= seq:
        start -= 1
    return takewhile(lambda note: note.seq <= notes[at].seq, islice(notes, start, None))


def _telling(text: str, without: frozenset[str]) -> Iterator[str]:
    """Stems of the words that tell what a text is about."""
    for word in note_words(text):
        for part in _PARTS.findall(word):
            stem = STEMS[part]
            if stem not in without and _tells(stem):
                yield stem


def _common(text: str, without: frozenset[str]) -> tuple[str, ...]:
    """Stems of a text that says what it is about in common words alone."""
    stems = [stem for stem in note_stems(text) if stem not in without and stem not in _DENIALS]
    return tuple(stem for stem in stems if not _DIGIT.search(stem))[:_MOST_STEMS]


def _units(text: str) -> frozenset[str]:
    """Stems of what numbers count: many things may cost euros."""
    return frozenset(STEMS[unit.lower()] for unit in _UNIT.findall(text))


def _tells(stem: str) -> bool:
    return len(stem) > 2 and stem not in _DENIALS and not _DIGIT.search(stem) and not is_common(stem)


def weighed_by_anchors(notes: Sequence[Note], drafts: Iterable[AnchorDraft]) -> list[Note]:
    """The notes of a segment, those with more worth that say what was decided or corrected in it."""
    stems_by_turn = _settling(drafts)
    return [
        note._replace(worth=round(note.worth * _SETTLES)) if _is_of(note, stems_by_turn.get(note.seq, ())) else note
        for note in notes
    ]


def with_settling(best: Sequence[Note], notes: Sequence[Note], drafts: Iterable[AnchorDraft]) -> list[Note]:
    """The best notes of a segment, and behind them those that settle something in words that are no news.

    'Decision: the red one' repeats what was weighed before; without it nobody knows what was overtaken.
    """
    stems_by_turn = _settling(drafts)
    known = {(note.seq, note.place) for note in best}
    settling = [
        note
        for note in notes
        if note.worth > 0 and (note.seq, note.place) not in known and _replaces(note, stems_by_turn)
    ]
    return [*best, *settling[-_MOST_SETTLING:]]


def without_pasted_changes(notes: Sequence[Note], readings: Iterable[Reading]) -> list[Note]:
    """The notes of a segment without those of pasted text that name a value whose place another takes.

    What stands first in contexts must not overtake what was said; a query still finds them.
    """
    pasted = {reading.turn.seq: reading for reading in readings if reading.pasted}
    return [note for note in notes if not (_is_pasted(note, pasted) and _taken_back(note.text))]


def words_of_their_own(noted: Iterable[tuple[Note, str]], readings: Iterable[Reading]) -> list[str]:
    """The words that each note was made from; of pasted text none: it is no order of who pastes it."""
    pasted = {reading.turn.seq: reading for reading in readings if reading.pasted}
    return ["" if _is_pasted(note, pasted) else words for note, words in noted]


def _is_pasted(note: Note, pasted: Mapping[int, Reading]) -> bool:
    """Whether a note tells what somebody else wrote, as far as it is known; `pasted` are turns that show such text."""
    reading = pasted.get(note.seq)
    return reading is not None and (not note.end or reading.is_pasted(Span(note.start, note.end)))


def _settling(drafts: Iterable[AnchorDraft]) -> dict[int, list[frozenset[str]]]:
    """The stems of what was decided or corrected, by turn."""
    stems_by_turn: dict[int, list[frozenset[str]]] = {}
    for draft in drafts:
        if draft.type in _SETTLING and draft.state is AnchorState.ACTIVE:
            stems_by_turn.setdefault(draft.turn_seq, []).append(frozenset(note_stems(draft.text)))
    return stems_by_turn


def still_held(notes: Iterable[Note], overtaken: OvertakenIndex) -> list[Note]:
    """The notes without those that say what holds no more."""
    shorter = [without_overtaken_item(note, overtaken) for note in notes]
    are_told = [overtaken.tells(note.seq, note_stems(note.text)) for note in shorter]
    held = [overtaken.mended(note) if is_told else note for note, is_told in zip(shorter, are_told, strict=True)]
    return [note for note in held if note is not None]


def without_overtaken_item(note: Note, overtaken: OvertakenIndex) -> Note:
    """A note that lists several things behind a colon, without the one whose value was overtaken; else as it is."""
    lead, colon, listed = note.text.partition(": ")
    if not colon or not overtaken:
        return note
    stems = note_stems(note.text)
    if not overtaken.tells_value(note.seq, stems) or overtaken.tells_statement(note.seq, stems):
        return note
    items = _ITEM_ENDS.split(listed)
    held = [part for part in items if not overtaken.tells_value(note.seq, note_stems(part))]
    if len(held) + 1 != len(items) or not held:
        return note
    text = f"{lead}: {', '.join(held)}"
    weight_of = dict(zip(stems, note.weights, strict=False))
    weights = "".join([weight_of.get(stem, "") for stem in note_stems(text)])
    return note._replace(text=text, tokens=estimate_tokens(text) + 1, weights=weights, brief="", brief_tokens=0)


def weighed_by_force(notes: Sequence[Note], settled: Sequence[SettledAnchor], overtaken: OvertakenIndex) -> list[Note]:
    """The notes in the order of the turns, those that hold no more without worth, what took their place with more."""
    ordered = [without_overtaken_item(note, overtaken) for note in in_order(notes)]
    questions = _asked(settled)
    ordered = [with_question(note, questions[note.seq]) if note.seq in questions else note for note in ordered]
    other_values = _other_values(settled)
    ordered = [with_other_value(note, other_values[note.seq]) if note.seq in other_values else note for note in ordered]
    replacing: dict[int, list[frozenset[str]]] = {}
    values: dict[int, list[tuple[frozenset[str], str]]] = {}
    for anchor in settled:
        if anchor.is_overtaken and anchor.by_text:
            stems = frozenset(note_stems(anchor.by_text))
            replacing.setdefault(anchor.by_seq, []).append(stems)
            if earlier_value := value_before(anchor.by_text, anchor.text):
                values.setdefault(anchor.by_seq, []).append((stems, earlier_value))
    ordered = [with_value_before(note, values[note.seq]) if note.seq in values else note for note in ordered]
    are_told = [bool(overtaken) and overtaken.tells(note.seq, note_stems(note.text)) for note in ordered]
    mended = [overtaken.mended(note) if is_told else note for note, is_told in zip(ordered, are_told, strict=True)]
    held = [note is not None for note in mended]
    ordered = [note or gone for note, gone in zip(mended, ordered, strict=True)]
    share = [1.0] * len(ordered)
    for at, note in enumerate(ordered):
        if held[at] and _replaces(note, replacing):
            share[at] = _IN_FORCE
            for stated in _stated_before(ordered, at):
                share[stated] = _IN_FORCE
            for beside in (at - 1, at + 1):
                if 0 <= beside < len(ordered) and ordered[beside].seq == note.seq:
                    share[beside] = max(share[beside], _BESIDE_IT)
    worths = [round(note.worth * share[at]) if held[at] else 0 for at, note in enumerate(ordered)]
    return [
        note if note.worth == worth else note._replace(worth=worth) for note, worth in zip(ordered, worths, strict=True)
    ]


def value_before(new: str, old: str) -> str:
    """The words that a statement had in the place of those of a newer one; empty where they differ in more.

    >>> value_before("The budget is 3,500 euros.", "The budget is 2,000 euros.")
    '2,000'
    >>> value_before("We raised the monthly cap to 750 dollars.", "The monthly cap is 500 dollars.")
    '500'
    >>> value_before("We fly to Porto instead of Lisbon.", "We fly to Lisbon.")
    ''
    """
    states_another = other_value(new, old) or changes_value(new, old) or overtakes_value(new, old)
    return _differing(new, old) if states_another else ""


def _differing(new: str, old: str) -> str:
    """The words of a statement that another one lacks; empty where they are many, or in several places."""
    words = old.rstrip(".!").split()
    there = {word.strip(_MARKS).lower() for word in new.split()}
    own = [at for at, word in enumerate(words) if word.strip(_MARKS).lower() not in there]
    while len(own) > 1 and words[own[0]].lower() in _LINKS:
        del own[0]
    if not own or own[-1] - own[0] + 1 != len(own) or len(own) > _LONGEST_VALUE or 2 * len(own) > len(words):
        return ""
    return " ".join(words[at] for at in own).strip(_MARKS)


def with_value_before(note: Note, values: list[tuple[frozenset[str], str]]) -> Note:
    """A note with the value whose place its own took, until its day; each value is told once."""
    for value_before_it in values:
        if _is_of(note, [value_before_it[0]]):
            values.remove(value_before_it)
            day = f", until {' '.join(note.day.split()[:2])}" if note.day else ""
            return _with_more(note, f" (before: {value_before_it[1]}{day})")
    return note


def _asked(settled: Iterable[SettledAnchor]) -> dict[int, list[tuple[frozenset[str], str]]]:
    """By turn, the stems of answers that do not say what they are about, with the questions that they answer."""
    questions: dict[int, list[tuple[frozenset[str], str]]] = {}
    for anchor in settled:
        if anchor.is_overtaken or anchor.both_stand or not anchor.by_text or len(anchor.text) > _LONGEST_QUESTION:
            continue
        if fills(anchor.text, anchor.by_text) and not names_what_is_asked(anchor.text, anchor.by_text):
            questions.setdefault(anchor.by_seq, []).append((frozenset(note_stems(anchor.by_text)), anchor.text))
    return questions


def with_question(note: Note, asked: Sequence[tuple[frozenset[str], str]]) -> Note:
    """A note with the question that it answers in front: '(Which database do we take?) We went with PostgreSQL'."""
    question = next((text for stems, text in asked if _is_of(note, [stems])), "")
    if not question or note.text.startswith("("):
        return note
    return _with_more(note, before=f"({question}) ")


class OtherValue(NamedTuple):
    """A value that a turn gives beside another one of the same thing."""

    statement: frozenset[str]
    """Stems of what states the first of them."""
    own: frozenset[str]
    """Of those, what the other statement lacks."""
    value: str
    """The words of the other one."""


def _other_values(settled: Iterable[SettledAnchor]) -> dict[int, list[OtherValue]]:
    """What each of two values of a turn is contradicted by, by the number of the turn."""
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
    """The statements of a turn that contradict each other, with its number: of three each names but the next."""
    groups_by_turn: dict[int, list[list[str]]] = {}
    for anchor in settled:
        if anchor.both_stand and anchor.by_seq == anchor.seq:
            groups = groups_by_turn.setdefault(anchor.seq, [])
            pair = [anchor.text, anchor.by_text]
            near = [group for group in groups if not set(pair).isdisjoint(group)]
            groups[:] = [group for group in groups if group not in near]
            groups.append(list(dict.fromkeys([*chain.from_iterable(near), *pair])))
    return ((seq, group) for seq, groups in groups_by_turn.items() for group in groups)


def with_other_value(note: Note, other_value_pairs: Sequence[OtherValue]) -> Note:
    """A note with the other value that its turn gives of the same thing: 'The rent is 800 (or 900, both said …)'."""
    stems = note_stems(note.text)
    values = [
        other.value
        for other in other_value_pairs
        if other.own and other.own.issubset(stems) and _is_of(note, [other.statement])
    ]
    values = list(dict.fromkeys(values))
    said = "both" if len(values) == 1 else "all"
    return _with_more(note, f" (or {' or '.join(values)}, {said} said in turn {note.seq})") if values else note


def _with_more(note: Note, more: str = "", *, before: str = "") -> Note:
    """A note with words behind or before it that weigh least."""
    return rewritten(note, f"{before}{note.text}{more}", f"{before}{note.brief}{more}")


def _stated_before(notes: Sequence[Note], at: int) -> Iterator[int]:
    """Places of the notes that say of what the value is that a note confirms: '84 seats' before '84, not 48'."""
    note = notes[at]
    instead = _TAKES_BACK.sub(" ", note.text)
    values = {stem for stem in note_stems(instead) if _TELLING_NUMBER.search(stem)}
    if note.place or not values or any(map(_tells, note_stems(instead))):
        return
    for place in range(at - 1, -1, -1):
        if notes[place].seq < note.seq - 1:
            return
        if values.issubset(note_stems(notes[place].text)):
            yield place


def _replaces(note: Note, replacing: Mapping[int, Sequence[frozenset[str]]]) -> bool:
    """Whether a note says what took the place of something."""
    return _taken_back(note.text) is not None or _is_of(note, replacing.get(note.seq, ()))


def _is_of(note: Note, statements: Iterable[frozenset[str]]) -> bool:
    """Whether a note says one of the statements of its turn, given by their stems."""
    stems = note_stems(note.text)
    return any(
        2 * len(statement.intersection(stems)) >= min(len(statement), len(stems)) > 0 for statement in statements
    )
