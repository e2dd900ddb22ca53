"""What each turn does, by rule: promise, ask, decide, state, correct. Anchors are chosen from these acts.

A clause may do several things; for each act it has points, and 50 are enough. Phrases are in `act_rules`,
`statement_rules` and `reply_rules`. What the turn before left open decides what a short reply means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import Final

from turnfold.contract.records import Role
from turnfold_worker.pipeline import reply_rules, statement_rules
from turnfold_worker.pipeline.act_rules import ENOUGH, PROMISES, Act, Found, Rule
from turnfold_worker.pipeline.before import NOTHING, Before
from turnfold_worker.pipeline.done_at_once import is_done_at_once
from turnfold_worker.pipeline.facts import NAMES, VALUES, FactKind
from turnfold_worker.pipeline.prose import MAX_CLAUSE, Span, clauses
from turnfold_worker.pipeline.reading import Reading, is_participant
from turnfold_worker.pipeline.repairs import is_repair
from turnfold_worker.pipeline.required_words import PatternIndex, words_in
from turnfold_worker.pipeline.spoken import QUESTION_MARKS, is_question, plain_words, without_fillers

SENTENCES_READ: Final = 200
"""Sentences of a turn that are looked at."""
BARE_VALUE: Final = "bare value"
"""The rule by which few words put a value in the place of another: '9443, typo'."""
YES_TO_A_PROPOSAL: Final = "yes to a proposal"
GOES_ALONG: Final = "goes along with a request"
REPLIES: Final = frozenset({YES_TO_A_PROPOSAL, "yes to a request", "no to a request", GOES_ALONG})
"""Rules by which a reply means what was asked before it."""

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
_TELLS: Final = frozenset({"order", "advice", "wanted"})
"""Rules of requests that tell what to do or what is wanted: in a question they ask about it."""
_BINDING: Final = frozenset({Act.COMMITMENT, Act.DECISION})
_STEPS: Final = frozenset({"order", "order under a condition", "advice"})
"""Rules of requests that each step of a manual makes."""
_MEETINGS: Final = frozenset({"availability", "meeting", "work named"})
"""Rules of requests that also 'When can we meet?' makes."""


def turn_acts(reading: Reading, before: Before, speakers: Sequence[str]) -> list[Found]:
    """The acts of a turn in the order of its clauses; at most one of a kind a clause. Linear in its length."""
    found: list[Found] = []
    for sentence in reading.sentences[:SENTENCES_READ]:
        for span in clauses(reading.turn.content, sentence, MAX_CLAUSE):
            found.extend(_Clause(reading, span, before, speakers).acts())
            # A reply is what the turn opens with.
            before = NOTHING
    return found


@cache
def _rules_by_word() -> PatternIndex:
    """Made when the first clause is read: it needs to know how common words are."""
    return PatternIndex(rule.pattern.pattern for rule in statement_rules.RULES)


class _Clause:
    """One clause while its acts are found: for each act the points and the rule that gave them."""

    def __init__(self, reading: Reading, span: Span, before: Before, speakers: Sequence[str]) -> None:
        self._reading = reading
        self._span = span
        self._before = before
        self._group = len(speakers) >= _GROUP
        self._assistant = reading.turn.role is Role.ASSISTANT
        self._raw = plain_words(reading.text(span))
        self._said = without_fillers(self._raw)
        self._asks = is_question(self._raw)
        self._words = len(self._said.split())
        self._speakers = speakers
        self._best: dict[Act, tuple[int, str]] = {}

    def acts(self) -> Iterator[Found]:
        """What it does, surest of each kind."""
        self._reply()
        if self._is_bare_value():
            self._put(Act.CORRECTION, 72, BARE_VALUE)
        self._phrases()
        self._question_or_answer()
        self._exactness()
        self._who_says_it()
        self._take_back()
        for act, (points, rule) in self._best.items():
            yield Found(act, min(max(points, 0), 100), self._span, rule)

    def _take_back(self) -> None:
        """What only sounds like a request or a promise."""
        if Act.REQUEST in self._best and self._is_no_request(self._best[Act.REQUEST][1]):
            del self._best[Act.REQUEST]
        if self._best.get(Act.COMMITMENT, (0, ""))[1] == GOES_ALONG and (Act.REQUEST in self._best or self._asks):
            del self._best[Act.COMMITMENT]
        if self._group and self._best.get(Act.COMMITMENT, (0, ""))[1] in PROMISES and is_done_at_once(self._said):
            del self._best[Act.COMMITMENT]
        if self._best.get(Act.CORRECTION, (0, ""))[1] == "changed" and statement_rules.TELLS_OF_INSTEAD.search(
            self._said
        ):
            del self._best[Act.CORRECTION]
        if self._is_heading():
            self._best.pop(Act.REQUEST, None)
            self._best.pop(Act.COMMITMENT, None)

    def _is_no_request(self, rule: str) -> bool:
        if self._in_a_manual() and (rule in _STEPS or "<!--" in self._raw):
            return True
        if self._assistant and statement_rules.SUGGESTS.match(self._said):
            return True
        asks_what = rule not in _MEETINGS and reply_rules.ASKS_WHAT.match(self._said)
        return self._asks and (rule in _TELLS or bool(asks_what))

    def _put(self, act: Act, points: int, rule: str) -> None:
        if points > self._best.get(act, (0, ""))[0]:
            self._best[act] = (points, rule)

    def _add(self, points: int, *acts: Act) -> None:
        for act in acts:
            if act in self._best:
                self._best[act] = (self._best[act][0] + points, self._best[act][1])

    def _reply(self) -> None:
        """Yes and no, between two: in a group it is not clear to whom."""
        before, said = self._before, self._said
        if self._group or self._assistant or before is NOTHING:
            return
        accepts, refuses = reply_rules.ACCEPTS.match(said), reply_rules.REFUSES.match(said)
        closing = reply_rules.CLOSING.search(said)
        confirms = before.asked and reply_rules.CONFIRMS.match(said)
        if (before.proposed or confirms) and accepts and (not closing or said.startswith(("yes", "yeah"))):
            if not (said.startswith(("i ", "i'd ")) and self._words > 3):
                self._put(Act.DECISION, 70, YES_TO_A_PROPOSAL)
        elif before.proposed and refuses and not closing and self._words > 3 and self._names_another():
            self._put(Act.CORRECTION, 60, "no to a proposal")
        self._reply_to_a_request(accepts=accepts is not None, refuses=refuses is not None)

    def _reply_to_a_request(self, *, accepts: bool, refuses: bool) -> None:
        before, said = self._before, self._said
        if before.requested >= ENOUGH and not self._reading.turn.content.rstrip().endswith(QUESTION_MARKS):
            if accepts:
                self._put(Act.COMMITMENT, 56, "yes to a request")
            elif refuses:
                self._put(Act.COMMITMENT, 50, "no to a request")
            elif before.deed and (reply_rules.GOES_ALONG.match(said) or self._is_short()):
                self._put(Act.COMMITMENT, 50, GOES_ALONG)
        elif reply_rules.DECLINES.match(said):
            self._put(Act.COMMITMENT, 50, "no to a request")
        elif before.offered and reply_rules.THANKED.match(said):
            self._put(Act.COMMITMENT, 50, GOES_ALONG)

    def _phrases(self) -> None:
        if self._words < 2 and self._said.isascii():
            return
        if statement_rules.COMPLETIONS.search(self._said):
            self._put(Act.FACT, 44, "done")
        for rule in self._rules_worth_trying():
            # The fillers of speech are what some corrections are told by.
            said = self._raw if rule.act is Act.CORRECTION else self._said
            if rule.points > self._best.get(rule.act, (0, ""))[0] and rule.pattern.search(said):
                self._put(rule.act, rule.points, rule.name)
        if not _BINDING.isdisjoint(self._best) and statement_rules.CONDITIONAL.search(self._said):
            self._add(-15, Act.COMMITMENT, Act.DECISION)
        if Act.REQUEST in self._best and reply_rules.BOILERPLATE.search(self._said):
            self._add(-20, Act.REQUEST)

    def _rules_worth_trying(self) -> list[Rule]:
        """The rules that may hold for these words, in order."""
        words = frozenset(words_in(self._raw if self._raw == self._said else f"{self._raw} {self._said}"))
        found = [statement_rules.RULES[place] for place in _rules_by_word().worth_trying(words)]
        return found if self._orders() else [one for one in found if one is not statement_rules.STANDS]

    def _question_or_answer(self) -> None:
        said, before = self._said, self._before
        if self._asks:
            if statement_rules.MENDED.search(statement_rules.EXCLAIMED.sub("", self._raw)):
                self._put(Act.CORRECTION, 70, "mended")
            self._put(Act.QUESTION, 40 if reply_rules.RHETORICAL.match(said) else 60, "question mark")
            if self._best.get(Act.FACT, (0, ""))[1] != "need":
                self._best.pop(Act.FACT, None)
        elif self._words > 3 and reply_rules.QUESTION.match(said):
            self._put(Act.QUESTION, 45, "question words")
        elif before.asked and before.brief and self._is_short():
            replies = (reply_rules.ACCEPTS.match, reply_rules.REFUSES.match, reply_rules.CLOSING.search)
            if not reply_rules.THANKS.match(said) and not any(reply(said) for reply in replies):
                self._put(Act.FACT, 52, "answer")

    def _exactness(self) -> None:
        """A number, a date, a name: what is stated exactly matters more."""
        before = self._before
        if (
            (not self._asks or Act.REQUEST in self._best)
            and (self._exact or self._counts())
            and not statement_rules.MADE_UP.search(self._said)
        ):
            if (
                before.brief
                and self._is_short()
                and (before.asked or Act.REQUEST in self._best or self._tells_an_assistant())
            ):
                self._put(Act.FACT, 42 if before.asked else 44, "exact")
            else:
                self._put(Act.FACT, 34, "exact")
            if Act.REQUEST in self._best and before.brief and self._is_short():
                self._best[Act.FACT] = (max(self._best[Act.FACT][0], 44), self._best[Act.FACT][1])
            self._add(10, Act.FACT)
        long = len(self._reading.turn.content) > _LONG
        if Act.FACT in self._best and long and not statement_rules.PERSONAL.search(self._said):
            self._add(-20, Act.FACT)

    def _who_says_it(self) -> None:
        if self._assistant:
            contradicts = self._exact and statement_rules.CONTRADICTION.search(self._said)
            self._add(-26, Act.FACT, *(() if contradicts else (Act.CORRECTION,)))
            self._add(-20, Act.DECISION)
        if self._group:
            self._add(-10, Act.FACT, Act.REQUEST, Act.DECISION)

    @cached_property
    def _exact(self) -> bool:
        """It states a number or a date, or names something other than who talks."""
        return any(
            fact.kind in _STATED and not (fact.kind is FactKind.NAME and is_participant(fact.text, self._speakers))
            for fact in self._reading.facts.within(self._span.start, self._span.end)
        )

    def _is_bare_value(self) -> bool:
        """The turn gives a value in place of another, and says no more."""
        whole = len(self._reading.turn.content.strip()) == self._span.end - self._span.start
        answers = self._before.asked and self._raw.startswith("no")
        return whole and self._exact and not self._asks and not answers and is_repair(self._raw)

    def _orders(self) -> bool:
        """Somebody tells an assistant what to do, in fewer words than a manual has."""
        turn = self._reading.turn
        if turn.role is Role.USER:
            return not self._in_a_manual() and (turn.name is None or Role.ASSISTANT in self._speakers)
        return turn.role in {Role.SYSTEM, Role.DEVELOPER}

    def _in_a_manual(self) -> bool:
        return self._reading.turn.role is Role.USER and len(self._reading.turn.content) >= _MANUAL

    def _counts(self) -> bool:
        """A line to an assistant says how many: 'two bathrooms', 'a table for three'."""
        return self._tells_an_assistant() and statement_rules.COUNTED.search(self._said) is not None

    def _names_another(self) -> bool:
        return self._exact or any(word in self._said for word in (" want", "change", "instead"))

    def _is_heading(self) -> bool:
        """'### Describe the problem' heads what follows; it asks nobody."""
        content, start = self._reading.turn.content, self._span.start
        before = content[content.rfind("\n", 0, start) + 1 : start]
        return before.lstrip().startswith("#") and not before.strip("# \t")

    def _tells_an_assistant(self) -> bool:
        """What is named in a line to an assistant is what it is to look for."""
        return Role.ASSISTANT in self._speakers and len(self._reading.turn.content) < _LINE

    def _is_short(self) -> bool:
        return len(self._reading.turn.content) < _SHORT_REPLY
