"""Accept a model's notes one by one: keep each, truncate it where it is too long, or refuse it alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.periods import as_utc
from turnfold.contract.records import Origin, Role, StoredTurn
from turnfold.contract.speakers import quoting, speaker_label
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.prose import NO_TITLE
from turnfold_worker.pipeline.notes.telegraph import telegraphic
from turnfold_worker.pipeline.refinement.brief import brief_of
from turnfold_worker.pipeline.refinement.claimed_days import day_of
from turnfold_worker.pipeline.refinement.claims import whole_sentences
from turnfold_worker.pipeline.refinement.faithfulness import Evidence
from turnfold_worker.pipeline.refinement.replies import WrittenNote
from turnfold_worker.pipeline.refinement.unfaithful import Unfaithful
from turnfold_worker.pipeline.turns.voices import origin_of_turns, voices_of

LONGEST: Final = 600
"""Maximum code points of a note; a longer one is truncated after a sentence or clause."""
_SHORTEST_CUT: Final = 20
_SENTENCE_END: Final = lazy_pattern(rf"[.!?]{NO_TITLE}(?=\s)")
_SPEAKS_ON: Final = lazy_pattern(
    r"(?i)(?:he|she|it|they|this|that|these|those|his|her|hers|its|their|there|then|so|but|and|also|both)\b"
)
"""Begins a sentence that depends on the one before."""
_CLAUSE_END: Final = lazy_pattern(r"[;,:](?=\s)|\s(?=[\u2013\u2014-]\s)|(?= (?:and|but|because|so|which|who) )")
_BULLET: Final = lazy_pattern(r"\A[\s\-\u2013\u2014*\u2022#>.,;:!?_]+")
_LONGEST_DAY: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNote:
    """A model's note that passed all checks."""

    turns: tuple[int, ...]
    """Numbers of the cited turns: the first one of its speaker, then the others in order."""
    speaker: str
    """The label as shown."""
    role: str
    origin: Origin
    """Origin of the least trusted of its turns."""
    said_on: date | None
    """Day of the first of its turns."""
    text: str
    """One line."""
    importance: int
    """1 to 5."""
    brief: str = ""
    """The model's brief if it only shortens the text; else the first sentence without articles and fillers."""
    day_meant: str = ""
    """When the event was or will be, as the text says; empty if it does not."""

    @property
    def shown(self) -> str:
        """The text as shown after the speaker's name: without that name at its beginning."""
        return self._behind_speaker(self.text)

    @property
    def shown_in_brief(self) -> str:
        """The brief, likewise without the speaker's name; empty unless shorter than the text."""
        brief = self._behind_speaker(self.brief)
        return brief if len(brief) < len(self.shown) else ""

    def _behind_speaker(self, text: str) -> str:
        rest = text.removeprefix(self.speaker).removeprefix("'s")
        rest = rest[1:] if rest[:1] == " " else text
        whole = rest == text or not rest[:1].islower() or rest.startswith(("and ", "or "))
        return text if whole else rest[0].upper() + rest[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedNotes:
    """The parts of a model's notes on a node that may be shown."""

    notes: tuple[ModelNote, ...] = ()
    """Sorted by first turn."""
    refused: Mapping[Unfaithful, int] | None = None
    """Number of notes left out, by the first reason for each."""

    @property
    def refusals(self) -> int:
        """The number of notes left out."""
        return sum((self.refused or {}).values())


def accept_notes(written: Sequence[WrittenNote], evidence: Evidence, turns: Sequence[StoredTurn]) -> AcceptedNotes:
    """Check each note against the turns it cites, at least one of which must be in `turns`, those of its node.

    The others need not be: an answer may be in one segment, and its question at the end of the one before. If a note of
    several sentences is refused, its faithful sentences are kept.
    """
    by_seq = {turn.seq: turn for turn in turns}
    voices = voices_of(turns)
    kept: dict[str, ModelNote] = {}
    refused: Counter[Unfaithful] = Counter()
    labels = {label.lower(): label for label in map(speaker_label, turns)}
    for note in (_by_its_label(note, labels) for note in written):
        text = cut_to(note.text, LONGEST)
        if not text:
            continue
        problems = [Unfaithful.TURN] if by_seq.keys().isdisjoint(note.turns) else []
        problems = problems or evidence.problems(text, note.turns, note.speaker)
        if problems:
            text = _faithful_part(text, note, evidence)
        if not text:
            refused[problems[0]] += 1
            continue
        # Repeated notes, as of a model that loops, are kept once.
        kept.setdefault(text.lower(), _kept(note, text, by_seq, voices))
    ordered = sorted(kept.values(), key=lambda note: note.turns)
    return AcceptedNotes(notes=tuple(ordered), refused=refused)


def _faithful_part(text: str, note: WrittenNote, evidence: Evidence) -> str:
    """Return the faithful sentences of a note; a sentence that depends on a refused one is dropped with it."""
    kept: list[str] = []
    leans = False
    sentences = whole_sentences(text)
    for sentence in sentences if len(sentences) > 1 else ():
        leans = leans and _SPEAKS_ON.match(sentence) is not None
        leans = leans or bool(evidence.problems(sentence, note.turns, note.speaker))
        if not leans:
            kept.append(sentence)
    return " ".join(kept)


def _kept(note: WrittenNote, text: str, by_seq: Mapping[int, StoredTurn], voices: Mapping[int, str]) -> ModelNote:
    seqs = tuple(sorted(by_seq.keys() & set(note.turns)))
    first = _spoken_by(note.speaker, [by_seq[seq] for seq in seqs])
    origin = origin_of_turns([by_seq[seq] for seq in seqs], voices)
    label = speaker_label(first)
    briefs = (brief_of(note.brief, text), telegraphic(whole_sentences(text)[0]))
    # A single word says nothing: 'jq'.
    brief = next((brief for brief in briefs if " " in brief), "")
    return ModelNote(
        turns=(first.seq, *(seq for seq in seqs if seq != first.seq)), origin=origin,
        speaker=quoting(label) if origin is Origin.OUTSIDE and first.role is Role.USER else label, role=str(first.role),
        said_on=as_utc(first.created_at).date() if first.created_at else None, text=text, importance=note.importance,
        day_meant=day_of(text)[:_LONGEST_DAY], brief=brief,
    )  # fmt: skip


def _spoken_by(speaker: str, turns: Sequence[StoredTurn]) -> StoredTurn:
    """Return the first turn of a speaker; the first of all turns if none is the speaker's."""
    wanted = speaker.lower()
    return next((turn for turn in turns if speaker_label(turn).lower().startswith(wanted)), turns[0])


def cut_to(text: str, longest: int) -> str:
    """Truncate a text after the last sentence that fits, else after the last clause, else after the last word.

    >>> cut_to("The lake froze in May. Nobody skated on it.", 30)
    'The lake froze in May.'
    >>> cut_to("Nobody saw the lake freeze in May, but Mr. Bos did.", 46)
    'Nobody saw the lake freeze in May.'
    """
    if len(text) <= longest:
        return text
    for pattern, ending in ((_SENTENCE_END, ""), (_CLAUSE_END, ".")):
        ends = [match.end() for match in pattern.finditer(text, 0, longest) if match.end() >= _SHORTEST_CUT]
        if ends:
            return text[: ends[-1]].rstrip(" ,;:-\u2013\u2014") + ending
    short = text[: text.rfind(" ", 0, longest)] if " " in text[:longest] else text[:longest]
    return short.rstrip(" ,;:") + "."


def _by_its_label(note: WrittenNote, labels: Mapping[str, str]) -> WrittenNote:
    """Return a note on one line; a speaker's label at the start of its text is moved to its speaker field."""
    text = plain_line(note.text)
    label, colon, after = text.partition(": ")
    speaker = labels.get(label.lower()) if colon else None
    text = _BULLET.sub("", after if speaker else text).strip()
    return replace(note, text=text, speaker=speaker or note.speaker)
