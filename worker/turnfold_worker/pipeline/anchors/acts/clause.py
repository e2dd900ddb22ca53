"""One clause, and what the rules of acts ask of it beside its words: who says it, to whom, and in what kind of turn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from turnfold.contract.records import Role
from turnfold_worker.pipeline.anchors.acts.before import Before
from turnfold_worker.pipeline.anchors.assistants import assists
from turnfold_worker.pipeline.anchors.rules import statement_rules
from turnfold_worker.pipeline.anchors.statements.asked import asks_outright, wishes_to_know
from turnfold_worker.pipeline.anchors.statements.repairs import is_repair
from turnfold_worker.pipeline.language.facts import NAMES, VALUES, FactKind
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.spoken import QUESTION_MARKS, is_question, plain_words, without_fillers
from turnfold_worker.pipeline.turns.reading import Reading, is_participant

_STATED: Final = frozenset((*VALUES, *NAMES))
_SHORT_REPLY: Final = 200
_LINE: Final = 150
"""Code points below which a turn to an assistant names what is looked for rather than tells a story."""
_LONG: Final = 250
"""Code points from which a turn is a text rather than talk."""
_MANUAL: Final = 1_500
"""Code points from which a turn tells how to work rather than what is wanted."""
_GROUP: Final = 3
"""Speakers from which people think aloud: what sounds like a promise or a request is often neither."""


class Clause:
    """A clause of a turn."""

    def __init__(self, reading: Reading, span: Span, speakers: Sequence[str]) -> None:
        self.span = span
        self.raw = plain_words(reading.text(span))
        self.said = without_fillers(self.raw)
        self.asks = is_question(self.said)
        self.marked = self.raw.rstrip("\"')*_ ").endswith(QUESTION_MARKS)
        """It ends with a question mark."""
        self.words = len(self.said.split())
        self.group = len(speakers) >= _GROUP
        self.assistant = assists(reading, speakers)
        """An assistant says it."""
        self.wants_a_text = statement_rules.MADE_UP.search(self.said) is not None
        self._reading = reading
        self._speakers = speakers
        self.only_asks = wishes_to_know(self.said) or (asks_outright(self.said) and not self._names_a_value())

    @cached_property
    def exact(self) -> bool:
        """It states a number or a date, or names something other than who talks."""
        return any(
            fact.kind in _STATED and not (fact.kind is FactKind.NAME and is_participant(fact.text, self._speakers))
            for fact in self._reading.facts.within(self.span.start, self.span.end)
        )

    @property
    def in_a_short_turn(self) -> bool:
        """The turn is as short as a reply."""
        return len(self._reading.turn.content) < _SHORT_REPLY

    @property
    def in_a_text(self) -> bool:
        """The turn is too long for talk."""
        return len(self._reading.turn.content) > _LONG

    @property
    def in_a_manual(self) -> bool:
        """The turn of a user tells at length how to work."""
        return self._reading.turn.role is Role.USER and len(self._reading.turn.content) >= _MANUAL

    @property
    def turn_asks(self) -> bool:
        """The turn ends with a question."""
        return self._reading.turn.content.rstrip().endswith(QUESTION_MARKS)

    @property
    def to_an_assistant(self) -> bool:
        """What is named in a line to an assistant is what it is to look for."""
        return Role.ASSISTANT in self._speakers and len(self._reading.turn.content) < _LINE

    @property
    def orders(self) -> bool:
        """Somebody tells an assistant what to do, in fewer words than a manual has."""
        turn = self._reading.turn
        if turn.role is Role.USER:
            return not self.in_a_manual and (turn.name is None or Role.ASSISTANT in self._speakers)
        return turn.role in {Role.SYSTEM, Role.DEVELOPER}

    @property
    def counts(self) -> bool:
        """A line to an assistant says how many: 'two bathrooms', 'a table for three'."""
        return self.to_an_assistant and statement_rules.COUNTED.search(self.said) is not None

    @property
    def names_another(self) -> bool:
        """It names what is wanted in place of something."""
        return self.exact or any(word in self.said for word in (" want", "change", "instead"))

    @property
    def is_heading(self) -> bool:
        """'### Describe the problem' heads what follows; it asks nobody."""
        content, start = self._reading.turn.content, self.span.start
        line_before = content[content.rfind("\n", 0, start) + 1 : start]
        return line_before.lstrip().startswith("#") and not line_before.strip("# \t")

    def is_bare_value(self, before: Before) -> bool:
        """The turn gives a value in place of another, and says no more."""
        whole = len(self._reading.turn.content.strip()) == self.span.end - self.span.start
        answers = before.asked and self.raw.startswith("no")
        return whole and self.exact and not self.asks and not answers and is_repair(self.raw)

    def _names_a_value(self) -> bool:
        """A line to an assistant that asks, 'What's on at the Odeon on Friday', names what to look for."""
        stated = self._reading.facts.within(self.span.start, self.span.end)
        return self.to_an_assistant and any(fact.kind in VALUES for fact in stated)
