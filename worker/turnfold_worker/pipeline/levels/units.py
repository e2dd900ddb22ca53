"""What a level is chosen from, and how it is chosen: the most news per token, by greedy coverage of rare words."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.content import Statement
from turnfold_worker.pipeline.content.statements import shown
from turnfold_worker.pipeline.language.common_words import listed
from turnfold_worker.pipeline.language.facts import FactKind
from turnfold_worker.pipeline.language.plain_lines import one_line, plain_line
from turnfold_worker.pipeline.language.prose import Span, clauses, spread_over
from turnfold_worker.pipeline.language.word_places import is_negation
from turnfold_worker.pipeline.language.words import telling_words
from turnfold_worker.pipeline.levels.preserved import Exact, exact_words, outside
from turnfold_worker.pipeline.notes.phatic import is_phatic
from turnfold_worker.pipeline.notes.turn_notes import MOST_NEWS, marked
from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.pipeline.turns.repeats import Repeat, reference
from turnfold_worker.pipeline.turns.treatment import statements_of

LONGEST_SENTENCE: Final = 260
"""Code points above which a sentence of level 1 is split into clauses."""
_UNITS_PER_TURN: Final = 1_000
"""Above the sentences of nearly all that is read of a turn; of more, as many from all of it."""
_UNIT_OVERHEAD: Final = 4
"""Tokens that every unit is charged beside its words, so that many scraps do not win over one statement."""
_CODE_WORTH: Final = 0.5
_SHORT_REPLY_WORDS: Final = 8
_MAX_VOICE: Final = 8
WHOLE_TOKENS: Final = 60
"""Tokens up to which a turn that must stay verbatim is one unit; a longer one is shown by its sentences."""
_LONGEST_WHOLE: Final = 400
_DECAY: Final = (1.0, 0.5, 0.25, 0.125, 0.0625)
_FIRST_PERSON: Final = listed("i i'm i've i'll i'd my me mine we we're we've we'll our us")
_SECOND_PERSON: Final = listed("you your you're you'll you've")


class Unit(NamedTuple):
    """A sentence or clause as a level would show it."""

    turn: int
    """Position of its turn in the segment."""
    text: str
    """One line."""
    tokens: int
    """About; levels are counted exactly once they are rendered."""
    words: tuple[tuple[str, int], ...]
    """Distinct words with what each tells, in order."""
    worth: float
    """Multiplier of its gain: voice, first person, question, marks."""
    partner: int | None = None
    """Position of the question that this reply answers, and cannot be understood without."""
    code: bool = False
    """It is code: its lines stand below its speaker."""
    listed: bool = False
    """It is a statement, not a sentence."""
    name: str = ""
    """Of exact words, which stand whole or not at all: how they are named where there is no room for them."""


def voices(readings: Sequence[Reading]) -> dict[str, float]:
    """How much a speaker's words weigh: all tokens over the speaker's, because who says less says what matters."""
    tokens_of: dict[str, int] = {}
    for reading in readings:
        tokens_of[reading.speaker] = tokens_of.get(reading.speaker, 0) + reading.turn.tokens + 1
    whole = sum(tokens_of.values())
    return {speaker: min(_MAX_VOICE, whole / count) for speaker, count in tokens_of.items()}


def sentence_units(readings: Sequence[Reading]) -> list[Unit]:
    """Units of level 1: sentences as they were said, in order."""
    weights = voices(readings)
    speakers = frozenset(part for speaker in weights for part in speaker.lower().split())
    units: list[Unit] = []
    question_place: int | None = None
    for turn, reading in enumerate(readings):
        begun = len(units)
        units.extend(_of_turn(turn, reading, weights[reading.speaker], speakers))
        if begun == len(units):
            continue
        reply = units[begun]
        if (
            question_place is not None
            and units[question_place].turn < turn
            and len(reply.text.split()) <= _SHORT_REPLY_WORDS
        ):
            units[begun] = reply._replace(partner=question_place)
        question_place = len(units) - 1 if units[-1].text.endswith("?") else None
    return units


def _of_turn(turn: int, reading: Reading, voice: float, speakers: frozenset[str]) -> Iterable[Unit]:
    mark = marked(reading)
    treatment = reading.treatment
    if treatment is not None and treatment.repeat is not None:
        yield from _of_repeat(turn, treatment.repeat, mark)
        return
    structured = statements_of(reading)
    exact = exact_words(reading)
    whole = _whole(reading) if structured is not None or (treatment is not None and treatment.kept) else ""
    if whole:
        yield _unit(turn, whole, mark * max(voice, 1.0))._replace(name=exact[0].name if exact else "")
    elif structured is not None and not (exact and exact[0].text):
        yield from (_of_exact(turn, words_kept, mark) for words_kept in exact)
        yield from _of_structured(turn, structured, mark)
    else:
        yield from _of_prose(turn, reading, exact, mark * voice, speakers)
    for call in reading.calls:
        yield _unit(turn, f"calls {call}", mark * voice * 0.7)


def _of_repeat(turn: int, repeat: Repeat, mark: float) -> Iterable[Unit]:
    """A reference, and what is new in a near repeat."""
    yield _unit(turn, reference(repeat), mark, listed=True)
    for line in repeat.news[:MOST_NEWS]:
        yield _unit(turn, shown(line), mark, listed=True)


def _whole(reading: Reading) -> str:
    """A turn that must stay verbatim, on one line, while it is short enough to have a place in a level."""
    content = reading.turn.content
    if len(content) > _LONGEST_WHOLE or reading.code:
        return ""
    line = one_line(content)
    return line if any(map(str.isalnum, line)) and about_tokens(line) <= WHOLE_TOKENS else ""


def _of_structured(turn: int, statements: Sequence[Statement], mark: float) -> Iterable[Unit]:
    order = sorted(range(len(statements)), key=lambda i: (-statements[i].worth, i))
    place = {i: rank for rank, i in enumerate(order)}
    for i, statement in enumerate(statements):
        yield _unit(turn, statement.text, mark / (place[i] + 1), listed=True)


def _of_prose(
    turn: int, reading: Reading, exact: Sequence[Exact], worth: float, speakers: frozenset[str]
) -> Iterable[Unit]:
    """Sentences and exact words, in their order."""
    waiting = list(exact)
    for span in spread_over(list(outside(reading.sentences, exact)), _UNITS_PER_TURN):
        while waiting and waiting[0].span.start < span.start:
            yield _of_exact(turn, waiting.pop(0), _CODE_WORTH)
        for clause in clauses(reading.turn.content, span, LONGEST_SENTENCE):
            verbatim = plain_line(reading.text(clause))
            if not any(map(str.isalnum, verbatim)) or (
                is_phatic(verbatim, speakers) and not _may_answer(reading, span)
            ):
                continue
            yield _unit(turn, verbatim, worth * _manner(verbatim, reading, clause))
    for words_kept in waiting:
        yield _of_exact(turn, words_kept, _CODE_WORTH)


def _of_exact(turn: int, exact: Exact, worth: float) -> Unit:
    """Small exact words whole, longer ones by name."""
    if not exact.text:
        return _unit(turn, exact.name, worth)._replace(name=exact.name)
    return _unit(turn, exact.text, worth, code=True)._replace(tokens=exact.tokens, name=exact.name)


def _may_answer(reading: Reading, span: Span) -> bool:
    """A bare 'Yes.' that opens a turn may be the answer to what was asked before it."""
    return bool(span == reading.sentences[0] and reading.text(span)[:4].lower().strip(" ,.!") in {"yes", "no", "yep"})


def _unit(turn: int, text: str, worth: float, *, code: bool = False, listed: bool = False) -> Unit:
    return Unit(turn, text, about_tokens(text), telling_words(text), worth, code=code, listed=listed)


def about_tokens(text: str) -> int:
    """Tokens of a text, roughly, from its length alone where that is good enough to choose by."""
    return 1 + len(text) * 2 // 9 if text.isascii() else estimate_tokens(text)


def _manner(line: str, reading: Reading, span: Span) -> float:
    """How a unit is said: questions ask, first persons tell, negations and exact values must not be lost."""
    words = {word.strip('.,!?;:()"') for word in line.replace("\u2019", "'").lower().split()}
    manner = 0.5 if line.endswith("?") else 1.0
    manner *= 0.5 if line.startswith(("[shares", "[photo", "[image")) else 1.0
    manner *= 1.0 if _FIRST_PERSON.isdisjoint(words) else 1.5
    manner *= 1.0 if _SECOND_PERSON.isdisjoint(words) else 0.85
    manner *= 1.15 if any(map(is_negation, words)) else 1.0
    exact = any(fact.kind in (FactKind.NUMBER, FactKind.DATE) for fact in reading.facts.within(span.start, span.end))
    return manner * (1.15 if exact else 1.0)


def settled(units: Sequence[Unit], most_tokens: int, most_of_names: int) -> tuple[list[Unit], list[int]]:
    """The units with exact words named where they do not fit, and the positions of those that do, and of names.

    Small ones come first, so that as many as there can be stand whole; of those that stand already only the name does.
    """
    whole: dict[str, int] = {}
    for i in sorted([i for i, unit in enumerate(units) if unit.name], key=lambda i: (units[i].tokens, i)):
        unit = units[i]
        if unit.text != unit.name and unit.text not in whole and unit.tokens <= most_tokens:
            whole[unit.text] = i
            most_tokens -= unit.tokens
    kept = set(whole.values())
    named_units = list(units)
    for i, unit in enumerate(units):
        if unit.name and i not in kept:
            named_units[i] = named = _unit(unit.turn, unit.name, unit.worth)
            if unit.text not in whole and named.tokens <= min(most_tokens, most_of_names):
                kept.add(i)
                most_tokens -= named.tokens
                most_of_names -= named.tokens
    return named_units, sorted(kept)


def choose(units: Sequence[Unit], budget_tokens: int, kept: Sequence[int] = ()) -> list[int]:
    """Positions of the units worth most per token within a budget, best first: lazy greedy, ties by position.

    A unit's gain is the weight of its words, halved for each time a word is already covered, times its worth, per
    token. A reply brings its question along. The tokens are those of the units; labels are the caller's to add.
    Those that are `kept` come first and are not part of the budget.
    """
    covered: dict[str, int] = {}
    chosen: dict[int, None] = dict.fromkeys(kept)
    heap = [(-_gain(unit, covered), i) for i, unit in enumerate(units)]
    heapq.heapify(heap)
    spent = 0
    while heap:
        stale, i = heapq.heappop(heap)
        if i in chosen:
            continue
        gain = -_gain(units[i], covered)
        if heap and gain > stale and (gain, i) > heap[0]:
            heapq.heappush(heap, (gain, i))
            continue
        partner = units[i].partner
        group = [position for position in (partner, i) if position is not None and position not in chosen]
        cost = sum(units[position].tokens + 1 for position in group)
        if spent + cost > budget_tokens:
            continue
        spent += cost
        for position in group:
            chosen[position] = None
            for word, _ in units[position].words:
                covered[word] = covered.get(word, 0) + 1
    return list(chosen)


def most_telling(units: Sequence[Unit]) -> Unit | None:
    """The unit worth most per token when nothing is covered yet."""
    if not units:
        return None
    return units[max(range(len(units)), key=lambda i: (_gain(units[i], {}), -i))]


def _gain(unit: Unit, covered: dict[str, int]) -> float:
    news = 0.0
    for word, weight in unit.words:
        times = covered.get(word, 0)
        news += weight * _DECAY[times if times < len(_DECAY) else -1]
    return unit.worth * news / (unit.tokens + _UNIT_OVERHEAD)
