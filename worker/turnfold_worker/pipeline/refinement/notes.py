"""What becomes of a model's notes: each is kept, cut where it is too long, or left out alone."""

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
from turnfold_worker.pipeline.refinement.faithfulness import Evidence, Unfaithful
from turnfold_worker.pipeline.refinement.replies import WrittenNote
from turnfold_worker.pipeline.turns.voices import origin_of_turns, voices_of

LONGEST: Final = 600
"""Code points of a note at most; a longer one is cut behind a sentence or a clause."""
_SHORTEST_CUT: Final = 20
_SENTENCE_END: Final = lazy_pattern(rf"[.!?]{NO_TITLE}(?=\s)")
_SPEAKS_ON: Final = lazy_pattern(
    r"(?i)(?:he|she|it|they|this|that|these|those|his|her|hers|its|their|there|then|so|but|and|also|both)\b"
)
"""Begins a sentence that cannot be understood without the one before it."""
_CLAUSE_END: Final = lazy_pattern(r"[;,:](?=\s)|\s(?=[\u2013\u2014-]\s)|(?= (?:and|but|because|so|which|who) )")
_BULLET: Final = lazy_pattern(r"\A[\s\-\u2013\u2014*\u2022#>.,;:!?_]+")
_LONGEST_DAY: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelNote:
    """A note of a model that says only what was said."""

    turns: tuple[int, ...]
    """Numbers of the turns that it rests on: the first of its speaker, then the others in order."""
    speaker: str
    """As it is shown."""
    role: str
    origin: Origin
    """The least trusted of its turns."""
    said_on: date | None
    """Of the first of its turns."""
    text: str
    """One line."""
    importance: int
    """1 to 5."""
    brief: str = ""
    """The text in fewer words, where they say nothing else; else its first sentence without articles and fillers."""
    day_meant: str = ""
    """When it was or will be, as the text says; empty where it does not."""

    @property
    def shown(self) -> str:
        """The text as it stands behind its speaker's name: without that name at its beginning."""
        return self._behind_speaker(self.text)

    @property
    def shown_in_brief(self) -> str:
        """The same of its brief; empty without one that is shorter."""
        brief = self._behind_speaker(self.brief)
        return brief if len(brief) < len(self.shown) else ""

    def _behind_speaker(self, text: str) -> str:
        rest = text.removeprefix(self.speaker).removeprefix("'s")
        rest = rest[1:] if rest[:1] == " " else text
        whole = rest == text or not rest[:1].islower() or rest.startswith(("and ", "or "))
        return text if whole else rest[0].upper() + rest[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedNotes:
    """What of a model's notes on a node may be shown."""

    notes: tuple[ModelNote, ...] = ()
    """By their first turns."""
    refused: Mapping[Unfaithful, int] | None = None
    """How many notes were left out, by the first reason for each."""

    @property
    def refusals(self) -> int:
        """How many notes were left out."""
        return sum((self.refused or {}).values())


def accept_notes(written: Sequence[WrittenNote], evidence: Evidence, turns: Sequence[StoredTurn]) -> AcceptedNotes:
    """Check each note against the turns that it names, of which one is to be among `turns`, those of its node.

    An answer may stand in one segment and its question at the end of the one before. Of a note of several sentences
    those are kept that say only what was said.
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
        # A model that goes round in circles says each thing once.
        kept.setdefault(text.lower(), _kept(note, text, by_seq, voices))
    ordered = sorted(kept.values(), key=lambda note: note.turns)
    return AcceptedNotes(notes=tuple(ordered), refused=refused)


def _faithful_part(text: str, note: WrittenNote, evidence: Evidence) -> str:
    """The sentences of a note that say only what was said; of one that is left out what speaks on goes too."""
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
    # A single word tells nothing: 'jq'.
    brief = next((brief for brief in briefs if " " in brief), "")
    return ModelNote(
        turns=(first.seq, *(seq for seq in seqs if seq != first.seq)), origin=origin,
        speaker=quoting(label) if origin is Origin.OUTSIDE and first.role is Role.USER else label, role=str(first.role),
        said_on=as_utc(first.created_at).date() if first.created_at else None, text=text, importance=note.importance,
        day_meant=day_of(text)[:_LONGEST_DAY], brief=brief,
    )  # fmt: skip


def _spoken_by(speaker: str, turns: Sequence[StoredTurn]) -> StoredTurn:
    """The first of some turns that a speaker said."""
    wanted = speaker.lower()
    return next((turn for turn in turns if speaker_label(turn).lower().startswith(wanted)), turns[0])


def cut_to(text: str, longest: int) -> str:
    """The text up to the last sentence that fits, else up to the last clause, else its whole words.

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
    """A note on one line without the label of a speaker before it: that one spoke, whatever its own field says."""
    text = plain_line(note.text)
    label, colon, after = text.partition(": ")
    speaker = labels.get(label.lower()) if colon else None
    text = _BULLET.sub("", after if speaker else text).strip()
    return replace(note, text=text, speaker=speaker or note.speaker)
