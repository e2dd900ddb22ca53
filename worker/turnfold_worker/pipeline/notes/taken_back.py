"""Find notes of earlier segments that a later statement retracts, even if they are no anchors. Pure.

For example 'Actually, we plant thyme along the path' long after 'We plant lavender along the path', 'we no longer use
Kafka', or 'scratch that'. Only the speaker of a note can retract it. At most 32 such statements, the newest, are
compared with at most 24 earlier notes each that share a content word with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.notes import Note
from turnfold.contract.overtaken import Overtaken
from turnfold.contract.records import Role
from turnfold.contract.words import note_stems
from turnfold_worker.pipeline.anchors.statements.endings import ending_of, ends
from turnfold_worker.pipeline.anchors.statements.frames import clauses_of, stems_in_order
from turnfold_worker.pipeline.anchors.statements.repairs import says_otherwise
from turnfold_worker.pipeline.anchors.statements.restated import restates_otherwise, says_now
from turnfold_worker.pipeline.anchors.statements.turnovers import turnovers_of, turns_over, words_sought
from turnfold_worker.pipeline.anchors.statements.value_changes import overtakes_value, value_change
from turnfold_worker.pipeline.language.common_words import is_common
from turnfold_worker.pipeline.language.spoken import is_question, plain_words, without_quotes
from turnfold_worker.pipeline.turns.memo import NO_MEMOS, TurnMemo, around_of, made_once

_MOST: Final = 32
_MOST_NOTES: Final = 24
_MOST_ENDED: Final = 4
_MOST_STEMS: Final = 16
_LONGEST: Final = 200
_CUES: Final = lazy_pattern(
    r"(?i)^(?:actually|correction|change of plans?|on second thoughts?|scratch|strike|scrap|cancel|no,? wait|wait,? no|"
    r"sorry|i meant?|i(?:'ve| have)? changed my mind|forget that|ignore that)(?!\w)|"
    r"(?<!\w)(?:no longer|any ?more|any longer|stopped|quit|gave up|given up|got rid of|instead of|rather than)(?!\w)|"
    r", not [\w' -]{1,40}$"
)
"""Phrases that may retract something farther back; most notes have none."""
_BARE: Final = lazy_pattern(
    r"(?:(?:no|ok|okay|actually|sorry|hm|oh),? )?(?:scratch|strike|scrap|forget|ignore) that[.!]*"
)
_LAST_SAID_WITHIN: Final = 2
"""Maximum turns between 'scratch that' and what it retracts."""
_INSTEAD: Final = lazy_pattern(
    r"(?<!\w)(?:instead of|rather than)(?: [a-z]{2,20}ing)?(?: the| an?| our| my)? (?P<gone>[^,;:.!?]{2,40})$"
)


OPENS_A_CORRECTION: Final = "Actually, "
"""The start of a possible correction, which a note leaves out and an anchor keeps."""


class Cue(NamedTuple):
    """A statement that may retract an earlier one of its speaker."""

    seq: int
    speaker: str
    text: str


def cues_among(
    notes: Iterable[Note], corrections: Iterable[tuple[int, str]] = (), memos: Mapping[int, TurnMemo | None] = NO_MEMOS
) -> list[Cue]:
    """Return people's notes that may retract something, and anchors that correct, given by turn and text.

    `memos`, by turn number, cache which notes of a turn are cues.
    """
    told = [note for note in notes if note.role == Role.USER]
    cues = {
        (seq, text): Cue(seq, speaker, text)
        for (seq, speaker), of_turn in groupby(told, key=lambda note: (note.seq, note.speaker))
        for text in _cues_of([note.text for note in of_turn], memos.get(seq))
    }
    anchors = dict(corrections)
    for note in told if anchors else ():
        text = anchors.get(note.seq, "")
        if text and len(text) <= _LONGEST:
            cues.setdefault((note.seq, text.rstrip(".!")), Cue(note.seq, note.speaker, text))
    return sorted(cues.values())[-_MOST:]


def _cues_of(texts: Sequence[str], memo: TurnMemo | None) -> list[str]:
    """Return the notes of a turn whose words may retract something."""

    def places() -> list[int]:
        return [
            place
            for place, text in enumerate(texts)
            if len(text) <= _LONGEST and (_CUES.search(text) or any(tells(text) for tells in _TELL_OF_A_CHANGE))
        ]

    key = around_of(*texts) if memo is not None else ""
    cue_places: list[int] = made_once(memo, "cues", key, places, pack=list, unpack=list)
    return [texts[place] for place in cue_places]


def taken_back(cues: Sequence[Cue], notes: Sequence[Note]) -> list[Overtaken]:
    """Return what the cues retract among the notes, which are in turn order."""
    if not cues:
        return []
    wanted = frozenset().union(*(_telling(cue.text) for cue in cues))
    holding: dict[str, list[Note]] = {}
    said = [note for note in notes if note.role == Role.USER and len(note.text) <= _LONGEST]
    for note in said:
        for stem in wanted.intersection(note_stems(note.text)):
            holding.setdefault(stem, []).append(note)
    return [
        _overtaken(note, cue) for cue in cues for note in (_last_said(cue, said) or _gone(cue, _near(cue, holding)))
    ]  # fmt: skip


def _near(cue: Cue, holding: dict[str, list[Note]]) -> list[Note]:
    """Return earlier notes of a cue's speaker that share a content word with the cue, newest first."""
    near = {
        (note.seq, note.place): note
        for stem in _telling(cue.text)
        for note in holding.get(stem, ())[-_MOST_NOTES:]
        if note.seq < cue.seq and note.speaker == cue.speaker
    }
    return [near[place] for place in sorted(near, reverse=True)][:_MOST_NOTES]


def _gone(cue: Cue, near: Sequence[Note]) -> Iterator[Note]:
    if ending_of(cue.text) is not None or turnovers_of(cue.text):
        over = [note for note in near if ends(cue.text, note.text) or turns_over(cue.text, note.text)]
        yield from over[:_MOST_ENDED]
        if over or not value_change(cue.text):
            return
    corrected = (note for note in near if any(over(cue.text, note.text) for over in _SAY_OTHERWISE))
    yield from islice(corrected, 1)


def _last_said(cue: Cue, said: Sequence[Note]) -> list[Note]:
    """Return what 'scratch that' retracts: the only statement in its speaker's previous turn."""
    if _BARE.fullmatch(plain_words(cue.text)) is None:
        return []
    before = [note for note in said if note.seq < cue.seq and note.speaker == cue.speaker]
    last = [note for note in before[-_LAST_SAID_WITHIN:] if note.seq == before[-1].seq]
    near = last and cue.seq - last[0].seq <= _LAST_SAID_WITHIN
    return last if near and len(last) == 1 and not is_question(last[0].text) else []


def _says_instead(new: str, old: str) -> bool:
    """Return whether a statement replaces an older one by 'instead of' or 'rather than'.

    For example 'We fly to Vienna instead of taking the night train' after 'We take the night train to Vienna'.
    """
    plain = plain_words(without_quotes(new)).rstrip(" .!")
    instead = _INSTEAD.search(plain)
    if instead is None or is_question(new) or is_question(old):
        return False
    gone = stems_in_order(instead["gone"])
    ours = [stems_in_order(clause) for clause, _ in clauses_of(plain[: instead.start()])]
    theirs = [stems_in_order(clause) for clause, _ in clauses_of(old)]
    if len(ours) != 1 or len(theirs) != 1 or not ours[0] or not theirs[0] or ours[0][0] != theirs[0][0]:
        return False
    beside = (set(ours[0]) & set(theirs[0])) - set(gone)
    return set(gone) <= set(theirs[0]) and any(len(stem) > 2 and not is_common(stem) for stem in beside)


_TELL_OF_A_CHANGE: Final[tuple[Callable[[str], object], ...]] = (turnovers_of, says_now, value_change)
_SAY_OTHERWISE: Final = (says_otherwise, restates_otherwise, overtakes_value, _says_instead)


def _overtaken(note: Note, cue: Cue) -> Overtaken:
    stems = note_stems(note.text)
    instead = frozenset(note_stems(cue.text))
    return Overtaken(
        note.seq, cue.seq, tuple(stem for stem in stems if stem not in instead)[:_MOST_STEMS], stems[:_MOST_STEMS]
    )


def _telling(text: str) -> frozenset[str]:
    telling = frozenset(stem for stem in note_stems(text) if len(stem) > 2 and not is_common(stem))
    return telling | words_sought(text)
