"""Turn a turn into notes: its clauses, each with its worth. Pure, a function of the turn and the turns around it.

A role's share of the conversation is not part of the worth, as it is known only later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.notes import Note, under_day
from turnfold.contract.origins import OUTSIDE
from turnfold.contract.periods import day_label
from turnfold.contract.records import Importance, Role
from turnfold.contract.speakers import quoting
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.anchors.rules.reply_rules import TAKES_IN
from turnfold_worker.pipeline.content import Statement
from turnfold_worker.pipeline.content.statements import shown
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.notes.alone import leans
from turnfold_worker.pipeline.notes.announced import is_announced
from turnfold_worker.pipeline.notes.assistant_text import drafts_for_others, samples_by_assistant, share_of
from turnfold_worker.pipeline.notes.captions import is_caption, only_points, shown_with
from turnfold_worker.pipeline.notes.events import event_share, is_general, mirrors, stems_of, telling_words
from turnfold_worker.pipeline.notes.phatic import is_phatic
from turnfold_worker.pipeline.notes.refused import refused_by
from turnfold_worker.pipeline.notes.salience import salience
from turnfold_worker.pipeline.notes.short_replies import is_bare_answer, is_short_reply, question_at_end
from turnfold_worker.pipeline.notes.telegraph import telegraphic
from turnfold_worker.pipeline.notes.told_clauses import told_clauses
from turnfold_worker.pipeline.notes.whole import whole_clause
from turnfold_worker.pipeline.notes.word_weights import READ, named_words, weights_of, words_taken_up
from turnfold_worker.pipeline.turns.actions import found_nothing
from turnfold_worker.pipeline.turns.memo import around_of, hash_of, made_once
from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.pipeline.turns.repeats import Repeat, reference
from turnfold_worker.pipeline.turns.treatment import statements_of
from turnfold_worker.pipeline.turns.voices import voices_of

_SAVES: Final = 1.1
"""Minimum ratio of a clause's tokens to those of its telegram for which the telegram is stored, too."""
_TOOL_WORDS: Final = 40
"""Words of a tool's output that become notes with worth; names in the rest are in the index of names."""
_LEAST_WORTH: Final = 0.04
"""Worth of a clause that is dispensable, but may be asked about."""
_SPARED: Final = 0.1
"""Salience up to which a clause has only the least worth."""
_HEADING_SHARE: Final = 0.4
"""Share of its worth that a heading keeps, or a list item that is only a title."""
_MANUAL_SHARE: Final = 0.2
"""Share of their worth that a harness's standing instructions keep: they are the same for every task."""
_TITLE_WORDS: Final = 6
_ASKS_FIRST: Final = lazy_pattern(
    r"(?i)(?:(?:so|and|but|or|also|well|hey|now|then),? )*"
    r"(?:(?:do|does|did|is|are|was|were|can|could|should|would|will|have|has|am) [\w'\u2019-]+ \w"
    r"|(?:what|how|where|why) )"
)
"""The beginning of a part of a question that is a question by itself, but has no question mark."""
_STATES: Final = lazy_pattern(
    r"(?i)(?:(?:and|but|so|since) )?(?:I|we)(?:'ve| have|'m| am|'re| are) (?!I\b|we\b|wondering\b)\w"
)
"""The beginning of a part of a question that asks nothing: 'can you help, I've done 5 of them?'."""
_IMPORTANT: Final = 1.3
"""Factor on the worth of a turn that scored as important."""
_MOST_NEWS: Final = 8
"""Maximum number of new lines of a near repeat that are shown."""
_MARKS: Final = {Importance.LOW: 0.5, Importance.MEDIUM: 1.2, Importance.HIGH: 2.0, Importance.PIN: 4.0}
_CAPTION_REACH: Final = 2
"""Number of clauses before a caption that may show its picture."""
_PAIR: Final = 2


class _Said(NamedTuple):
    """The content of one note of a turn."""

    text: str
    worth: float
    named: frozenset[str] = frozenset()
    """Words that are capitalized inside a sentence."""
    said: str = ""
    """The original words."""
    span: Span = Span(0, 0)
    brief: str = ""
    """The text in fewer words."""


def notes_of(readings: Sequence[Reading]) -> list[Note]:
    """Return the notes of neighbouring turns in order; notes that say nothing by themselves have a worth of 0."""
    return [note for note, _ in noted(readings)]


def noted(readings: Sequence[Reading]) -> list[tuple[Note, str]]:
    """Return the same notes as `notes_of`, each with the words of the turn that it was made from."""
    spread = words_taken_up(readings)
    speakers = frozenset(part for reading in readings for part in reading.speaker.lower().split())
    # Role labels are not names: 'User, group and mode' does not address the user.
    people = frozenset(reading.turn.name.lower() for reading in readings if reading.turn.name)
    names = frozenset(chain.from_iterable(map(str.split, people)))
    at_work = any(reading.tool for reading in readings)
    voices = voices_of(reading.turn for reading in readings)
    notes: list[tuple[Note, str]] = []
    around = around_of(sorted(speakers), sorted(people), at_work)
    reading_before: Reading | None = None
    for reading in readings:
        refused = refused_by(reading_before, reading)
        worth_of_refused = 0
        for i, (note, spoken) in enumerate(notes):
            if refused is not None and refused.tells(note):
                worth_of_refused = max(worth_of_refused, note.worth)
                notes[i] = note._replace(worth=0), spoken
        proposal = refused.text if refused is not None else ""

        def heard(
            reading: Reading = reading, reading_before: Reading | None = reading_before, proposal: str = proposal,
            worth: float = worth_of_refused / 100,
        ) -> _Heard:  # fmt: skip
            question = "" if reading_before is None else question_at_end(reading_before)
            answered = _answered(reading_before, reading)
            return _Heard(speakers, names, len(people) == _PAIR, question, answered, at_work, proposal, worth)

        key = f"{around}{_hash_of(reading_before)}{worth_of_refused} {proposal}"
        day = day_label(reading.day) if reading.day else ""
        mark = _marked(reading)
        for place, (text, worth, named, spoken, span, brief) in enumerate(_statements(reading, heard, key)):
            tokens = estimate_tokens(under_day(text, day)) + 1
            brief_tokens = estimate_tokens(under_day(brief, day)) + 1 if brief else 0
            saves = tokens >= _SAVES * brief_tokens
            speaker, voice = reading.speaker, voices[reading.turn.seq]
            if reading.pasted and reading.is_pasted(span):
                speaker, voice = quoting(speaker), OUTSIDE
            note = Note(
                reading.turn.seq, place, speaker, voice, day, text, tokens,
                round(100 * mark * worth), weights_of(text, named, spread), 0, brief if saves else "",
                brief_tokens if saves else 0, *span,
            )  # fmt: skip
            notes.append((note, spoken))
        reading_before = reading
    return notes


def _hash_of(reading_before: Reading | None) -> str:
    """Return a hash of the turn before, part of the cache key, as a turn's notes depend on that turn."""
    if reading_before is None:
        return ""
    return reading_before.memo.turn_hash if reading_before.memo is not None else hash_of(reading_before.turn)


def _marked(reading: Reading) -> float:
    """Return the factor on a turn's worth for the caller's mark, or for having scored as important."""
    mark = _MARKS.get(reading.turn.importance, 1.0)
    important = reading.treatment is not None and reading.treatment.important
    return max(mark, _IMPORTANT) if important else mark


def _answered(reading_before: Reading | None, reading: Reading) -> frozenset[str] | None:
    """Return the stems of the turn that a person answers, empty without one; None if the speaker is no person."""
    if reading.turn.role is not Role.USER or reading.tool:
        return None
    if reading_before is None or reading_before.speaker == reading.speaker:
        return frozenset()
    return stems_of(reading_before.turn.content[:READ])


class _Heard(NamedTuple):
    """The context that a turn's clauses are judged by."""

    speakers: frozenset[str]
    """Words of the names and labels of all speakers."""
    names: frozenset[str]
    """Words of names by which people address each other."""
    are_two: bool
    """Whether two people talk, so that each of them knows who is called."""
    asked: str
    """The short question that the turn before ends with."""
    answered: frozenset[str] | None
    """The stems of the turn before, by another speaker; None if the speaker of this turn is no person."""
    at_work: bool
    """Whether tools are used in the surrounding turns."""
    refused: str = ""
    """The proposal of the turn before that this one refuses."""
    refused_worth: float = 0.0
    """The worth of the proposal if it had not been refused."""


def _statements(reading: Reading, heard: Callable[[], _Heard], around: str) -> list[_Said]:
    if reading.repeat is not None:
        return _of_repeat(reading.repeat)
    structured = statements_of(reading)
    if structured is None:
        return made_once(
            reading.memo, "told", around, lambda: _of_prose(reading, heard()), pack=_packed, unpack=_unpacked
        )
    told = _of_structured(structured)
    if reading.tool and found_nothing(reading.turn.content):
        # Vain searches and failures are part of the state of the work.
        told = [draft._replace(worth=0.0) for draft in told]
    return [*told, *_of_calls(reading)]


def _packed(drafts: Sequence[_Said]) -> list[list[Any]]:
    return [[*draft[:2], sorted(draft.named), draft.said, *draft.span, draft.brief] for draft in drafts]


def _unpacked(rows: Iterable[Sequence[Any]]) -> list[_Said]:
    return [
        _Said(text, worth, frozenset(named), spoken, Span(start, end), brief)
        for text, worth, named, spoken, start, end, brief in rows
    ]


def _of_prose(reading: Reading, heard: _Heard) -> list[_Said]:
    drafts_of_turn: list[_Said] = []
    drafts = drafts_for_others(reading.turn)
    samples = samples_by_assistant(reading.turn)
    # True until a clause says something that may answer the turn before.
    waits = bool(heard.asked or heard.refused)
    others = heard.names.difference((reading.turn.name or "").lower().split())
    for clause, sentence in told_clauses(reading):
        spoken = plain_line(reading.text(clause))
        if not any(map(str.isalnum, spoken)):
            continue
        if clause.end < sentence.end and _ASKS_FIRST.match(spoken) and _asks(reading, sentence):
            spoken = spoken.rstrip(" ,;-–—") + "?"
        elif sentence.start < clause.start and _STATES.match(spoken):
            spoken = spoken.rstrip("?")
        text = whole_clause(spoken, others, reading.day, are_two=heard.are_two)
        worth = _worth(spoken, text, heard, place=len(drafts_of_turn))
        if _is_heading(reading.turn.content, clause, spoken):
            worth *= 0.0 if spoken.isupper() and " " not in spoken else _HEADING_SHARE
        if waits and (asking := _worth_with_question(spoken, text, worth, heard)):
            question = heard.asked or heard.refused
            text, worth = f"({question}) {text}", asking
        worth *= _share_of_text(reading, clause, drafts, at_work=heard.at_work)
        if samples is not None:
            worth *= share_of(samples, clause, spoken)
        if is_announced(reading, spoken, at_work=heard.at_work):
            worth = min(worth, _LEAST_WORTH)
        drafts_of_turn.append(_Said(text, worth, named_words(spoken), spoken, clause))
        waits = waits and not (worth and not _takes_up(spoken, heard))
    told = [
        draft._replace(brief=telegraphic(draft.text)) if draft.worth else draft
        for draft in _with_captions(drafts_of_turn)
    ]
    return [*told, *_of_calls(reading)]


def _share_of_text(reading: Reading, clause: Span, drafts: Sequence[Span], *, at_work: bool) -> float:
    """Return the share of its worth that a clause keeps in a draft for others, or in a manual.

    If tools are used, the request that contains the manual is shown with its rules, and the clause keeps none.
    """
    if any(draft.start <= clause.start < draft.end for draft in drafts):
        return 0.0
    manual = reading.manual
    if manual is None or not manual.start <= clause.start < manual.end:
        return 1.0
    return 0.0 if at_work else _MANUAL_SHARE


def _with_captions(clauses_said: Sequence[_Said]) -> list[_Said]:
    """Attach each picture's caption to the clause that shows the picture, which says little alone."""
    kept = list(clauses_said)
    for i, caption in enumerate(clauses_said):
        for k in range(max(0, i - _CAPTION_REACH), i) if is_caption(caption.said) else ():
            clause = kept[k]
            if (text := shown_with(clause.text, caption.text)) is not None:
                kept[k] = clause._replace(text=text, worth=max(clause.worth, 1.0), said=f"{clause.said} {caption.said}")
                kept[i] = caption._replace(worth=0.0)
                break
            if only_points(clause.text):
                kept[i] = caption._replace(worth=1.0)
    return kept


def _worth(spoken: str, text: str, heard: _Heard, *, place: int) -> float:
    """Return the worth of a turn's clause at `place`, given as said and as shown; 0 if it says nothing."""
    phatic = is_phatic(spoken, heard.speakers) or is_phatic(text, heard.speakers)
    if phatic or text.lower() in heard.names or is_bare_answer(spoken):
        return 0.0
    worth = max(_LEAST_WORTH, 2 * (salience(spoken, place=place, replies=bool(heard.asked)) - _SPARED))
    return worth if heard.answered is None or is_caption(spoken) else worth * event_share(text, heard.answered)


def _worth_with_question(spoken: str, text: str, worth: float, heard: _Heard) -> float:
    """Return the worth of a reply with its question in front; 0 if the reply is understood without."""
    if heard.refused:
        return max(worth, heard.refused_worth)
    if not heard.asked:
        return 0.0
    if _takes_up(spoken, heard):
        return 0.0
    if is_bare_answer(spoken) or (worth and is_short_reply(spoken)):
        return max(worth, 1.0)
    return worth if leans(text) and telling_words(heard.asked) else 0.0


def _takes_up(spoken: str, heard: _Heard) -> bool:
    """Return whether a reply responds to something other than the question: 'Glad you like it', 'Calm is key'."""
    if spoken.endswith("?") or TAKES_IN.match(plain_words(spoken)) or is_general(spoken):
        return True
    asked, answered = stems_of(heard.asked), heard.answered or frozenset()
    return asked.isdisjoint(stems_of(spoken)) and mirrors(spoken, answered - asked)


def _asks(reading: Reading, sentence: Span) -> bool:
    return reading.turn.content[sentence.start : sentence.end].rstrip("\"')* ").endswith("?")


def _is_heading(content: str, clause: Span, spoken: str) -> bool:
    """Return whether a clause is a title: a few words at the end of a line, capitalized, without a full stop."""
    if spoken[-1] in ".!?" or "\n" not in content:
        return False
    words = [word for word in spoken.split() if len(word) > 3]
    ends = content[clause.end : clause.end + 1] in {"", "\n"}
    return ends and len(words) <= _TITLE_WORDS and all(word[0].isupper() for word in words)


def _of_calls(reading: Reading) -> list[_Said]:
    """Return the tool calls that the turn's text does not have."""
    content = reading.turn.content
    return [
        _Said(f"calls {call}", 0.7, said=call)
        for call in reading.calls
        if f"[call {call[: call.find('(')]}" not in content
    ]


def _of_repeat(repeat: Repeat) -> list[_Said]:
    """Return a reference, which says nothing by itself, and the new lines of a near repeat."""
    news = [_Said(shown(line), 1.0, said=line) for line in repeat.news[:_MOST_NEWS]]
    return [_Said(reference(repeat), 0.0), *news]


def _of_structured(statements: Sequence[Statement]) -> list[_Said]:
    """Return statements in order; only the best have worth, the others are found by queries and the index of names."""
    order = sorted(range(len(statements)), key=lambda i: (-statements[i].worth, i))
    worth = dict.fromkeys(order, 0.0)
    words = 0
    for place, i in enumerate(order):
        words += len(statements[i].text.split())
        if place and words > _TOOL_WORDS:
            break
        worth[i] = 1.0 / (place + 1)
    return [_Said(statement.text, worth[i], said=statement.text) for i, statement in enumerate(statements)]
