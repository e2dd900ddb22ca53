"""A clause with the context that the act rules need: speaker, addressee and kind of turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from turnfold.contract.records import Role
from turnfold_worker.pipeline.anchors.assistants import assists
from turnfold_worker.pipeline.anchors.dialogue_acts.open_exchange import Before
from turnfold_worker.pipeline.anchors.rules import statement_rules
from turnfold_worker.pipeline.anchors.statements.question_split import asks_outright, wishes_to_know
from turnfold_worker.pipeline.anchors.statements.repairs import is_repair
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, FactKind
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.spoken import QUESTION_MARKS, is_question, plain_words, without_fillers
from turnfold_worker.pipeline.turns.reading import Reading, is_participant

_STATED: Final = frozenset((*VALUES, *NAMES))
_SHORT_REPLY: Final = 200
_LINE: Final = 150
"""Length in code points below which a turn to an assistant is a search request rather than a story."""
_LONG: Final = 250
"""Length in code points above which a turn is prose rather than talk."""
_MANUAL: Final = 1_500
"""Length in code points from which a turn explains how to work rather than states what is wanted."""
_GROUP: Final = 3
"""Number of speakers from which people think aloud, so that apparent promises and requests are often neither."""


class Clause:
    """A clause of a turn."""

    def __init__(self, reading: Reading, span: Span, speakers: Sequence[str]) -> None:
        self.span = span
        self.raw = plain_words(reading.text(span))
        self.said = without_fillers(self.raw)
        self.asks = is_question(self.said)
        self.marked = self.raw.rstrip("\"')*_ ").endswith(QUESTION_MARKS)
        """The clause ends with a question mark."""
        self.words = len(self.said.split())
        self.group = len(speakers) >= _GROUP
        self.assistant = assists(reading, speakers)
        """The speaker is an assistant."""
        self.wants_a_text = statement_rules.MADE_UP.search(self.said) is not None
        self._reading = reading
        self._speakers = speakers
        self.only_asks = wishes_to_know(self.said) or (asks_outright(self.said) and not self._names_a_value())

    @cached_property
    def exact(self) -> bool:
        """Whether the clause states a number or date, or names something other than a participant."""
        return any(
            fact.kind in _STATED and not (fact.kind is FactKind.NAME and is_participant(fact.text, self._speakers))
            for fact in self._reading.facts.within(self.span.start, self.span.end)
        )

    @property
    def in_a_short_turn(self) -> bool:
        """Whether the turn is as short as a reply."""
        return len(self._reading.turn.content) < _SHORT_REPLY

    @property
    def in_a_text(self) -> bool:
        """Whether the turn is too long for talk."""
        return len(self._reading.turn.content) > _LONG

    @property
    def in_a_manual(self) -> bool:
        """Whether a user explains at length how to work in this turn."""
        return self._reading.turn.role is Role.USER and len(self._reading.turn.content) >= _MANUAL

    @property
    def turn_asks(self) -> bool:
        """Whether the turn ends with a question."""
        return self._reading.turn.content.rstrip().endswith(QUESTION_MARKS)

    @property
    def to_an_assistant(self) -> bool:
        """Whether the turn is a short line to an assistant, in which names are things to look for."""
        return Role.ASSISTANT in self._speakers and len(self._reading.turn.content) < _LINE

    @property
    def orders(self) -> bool:
        """Whether the turn gives an assistant an order that is shorter than a manual."""
        turn = self._reading.turn
        if turn.role is Role.USER:
            return not self.in_a_manual and (turn.name is None or Role.ASSISTANT in self._speakers)
        return turn.role in {Role.SYSTEM, Role.DEVELOPER}

    @property
    def counts(self) -> bool:
        """Whether a short line to an assistant states a quantity: 'two bathrooms', 'a table for three'."""
        return self.to_an_assistant and statement_rules.COUNTED.search(self.said) is not None

    @property
    def names_another(self) -> bool:
        """Whether the clause names a replacement for something."""
        return self.exact or any(word in self.said for word in (" want", "change", "instead"))

    @property
    def is_heading(self) -> bool:
        """Whether the clause is a Markdown heading: '### Describe the problem' asks nothing."""
        content, start = self._reading.turn.content, self.span.start
        line_before = content[content.rfind("\n", 0, start) + 1 : start]
        return line_before.lstrip().startswith("#") and not line_before.strip("# \t")

    def is_bare_value(self, before: Before) -> bool:
        """Whether the whole turn is one value that replaces another."""
        whole = len(self._reading.turn.content.strip()) == self.span.end - self.span.start
        answers = before.asked and self.raw.startswith("no")
        return whole and self.exact and not self.asks and not answers and is_repair(self.raw)

    def _names_a_value(self) -> bool:
        """Whether a question to an assistant names what to look for: 'What's on at the Odeon on Friday'."""
        stated = self._reading.facts.within(self.span.start, self.span.end)
        return self.to_an_assistant and any(fact.kind in VALUES for fact in stated)
