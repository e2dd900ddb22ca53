"""Rule-based dialogue acts of each turn (promise, ask, decide, state, correct), from which anchors are chosen.

A clause may perform several acts; each gets points, of which 50 are enough. The phrases come from `rules`. What the
previous turn left open decides what a short reply means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from turnfold_worker.pipeline.anchors.dialogue_acts.clause import Clause
from turnfold_worker.pipeline.anchors.dialogue_acts.open_exchange import NOTHING, Before
from turnfold_worker.pipeline.anchors.rules import reply_rules, statement_rules
from turnfold_worker.pipeline.anchors.rules.deed_rules import PROMISES
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, Act, Found, Rule
from turnfold_worker.pipeline.anchors.statements.completion_reports import tells_of_done
from turnfold_worker.pipeline.anchors.statements.question_split import told_and_asked
from turnfold_worker.pipeline.language.prose import MAX_CLAUSE, clauses
from turnfold_worker.pipeline.language.required_words import PatternIndex
from turnfold_worker.pipeline.language.spoken import breaks_off
from turnfold_worker.pipeline.language.words import specific_words
from turnfold_worker.pipeline.turns.reading import Reading

SENTENCES_READ: Final = 200
"""Number of sentences of a turn that are analysed."""
BARE_VALUE: Final = "bare value"
"""Rule for a few words that replace one value by another: '9443, typo'."""
YES_TO_A_PROPOSAL: Final = "yes to a proposal"
NO_TO_A_PROPOSAL: Final = "no to a proposal"
GOES_ALONG: Final = "goes along with a request"
REPLIES: Final = frozenset({YES_TO_A_PROPOSAL, "yes to a request", "no to a request", GOES_ALONG})
"""Rules for replies whose meaning depends on what was asked before."""

_ASKED: Final = 5
"""Number of words from which an unmarked question is complete rather than a false start."""
_NAMES_LITTLE: Final = 2
"""Number of words up to which a clause cannot name both a thing and its value."""
_BEGUN: Final = 6
"""Number of words up to which an unfinished clause may be too short to name anything."""
_TELLS: Final = frozenset({"order", "advice", "wanted"})
"""Request rules that direct or express a wish; in a question they only ask about it."""
_WANTED: Final = frozenset({"need"})
"""Fact rules that also hold in a question."""
_TOLD_TOO: Final = _WANTED | {"preference", "limit"}
"""Fact rules that also hold in an unmarked question, where a statement may follow in the same breath."""
_SUPPOSED: Final = frozenset({"duty taken", "work given"})
"""Commitment rules that, in a question, ask what is to be done."""
_BINDING: Final = frozenset({Act.COMMITMENT, Act.DECISION})
_STEPS: Final = frozenset({"order", "order under a condition", "advice"})
"""Request rules that every step of a manual matches."""
_RULES_BY_WORD: Final = PatternIndex(lambda: (rule.pattern.pattern for rule in statement_rules.RULES))
_MEETINGS: Final = frozenset({"availability", "meeting", "work named"})
"""Request rules that 'When can we meet?' also matches."""


def turn_acts(reading: Reading, before: Before, speakers: Sequence[str]) -> list[Found]:
    """Find the acts of a turn in clause order, at most one of a kind per clause, in time linear in its length."""
    acts_found: list[Found] = []
    for sentence in reading.sentences[:SENTENCES_READ]:
        for clause in clauses(reading.turn.content, sentence, MAX_CLAUSE):
            for span in told_and_asked(reading.turn.content, clause):
                acts_found.extend(_Acts(Clause(reading, span, speakers), before).found())
                # Only the opening clause of a turn can be a reply.
                before = NOTHING
    return acts_found


class _Acts:
    """Collect the acts of a clause, with the points and the rule of each."""

    def __init__(self, clause: Clause, before: Before) -> None:
        self._clause = clause
        self._before = before
        self._best: dict[Act, tuple[int, str]] = {}

    def found(self) -> Iterator[Found]:
        """Yield the acts of the clause, with the strongest match of each kind."""
        self._reply()
        if self._clause.is_bare_value(self._before):
            self._put(Act.CORRECTION, 72, BARE_VALUE)
        elif self._before.corrects and self._clause.words > _NAMES_LITTLE and not self._clause.asks:
            self._put(Act.CORRECTION, 60, "said to be wrong before")
        self._phrases()
        self._question_or_answer()
        self._exactness()
        self._who_says_it()
        self._take_back()
        for act, (points, rule) in self._best.items():
            yield Found(act, min(max(points, 0), 100), self._clause.span, rule)

    def _take_back(self) -> None:
        """Remove acts that only sound like a request, promise or correction."""
        if Act.REQUEST in self._best and self._is_no_request(self._best[Act.REQUEST][1]):
            del self._best[Act.REQUEST]
        if self._best.get(Act.COMMITMENT, (0, ""))[1] == GOES_ALONG and (
            Act.REQUEST in self._best or self._clause.asks
        ):
            del self._best[Act.COMMITMENT]
        if self._best.get(Act.COMMITMENT, (0, ""))[1] == "offer" and reply_rules.ASKS_WHAT.match(self._clause.said):
            del self._best[Act.COMMITMENT]
        if self._clause.asks and self._best.get(Act.COMMITMENT, (0, ""))[1] in _SUPPOSED:
            del self._best[Act.COMMITMENT]
        if (
            self._clause.group
            and self._best.get(Act.COMMITMENT, (0, ""))[1] in PROMISES
            and statement_rules.AT_ONCE.search(self._clause.said)
            and not statement_rules.LATER.search(self._clause.said)
        ):
            del self._best[Act.COMMITMENT]
        if (
            self._best.get(Act.CORRECTION, (0, ""))[1] == "meant"
            and self._before.asked
            and not self._before.proposed
            and reply_rules.FILLS_IN.match(self._clause.said)
        ):
            del self._best[Act.CORRECTION]
        if self._best.get(Act.CORRECTION, (0, ""))[1] == "changed" and statement_rules.TELLS_OF_INSTEAD.search(
            self._clause.said
        ):
            del self._best[Act.CORRECTION]
        if (
            self._clause.group
            and self._clause.words <= _BEGUN
            and breaks_off(self._clause.said)
            and not specific_words(self._clause.said)
        ):
            self._best.clear()
        if self._clause.is_heading:
            self._best.pop(Act.REQUEST, None)
            self._best.pop(Act.COMMITMENT, None)

    def _is_no_request(self, rule: str) -> bool:
        if self._clause.in_a_manual and (rule in _STEPS or "<!--" in self._clause.raw):
            return True
        if self._clause.assistant and statement_rules.SUGGESTS.match(self._clause.said):
            return True
        asks_what = rule not in _MEETINGS and reply_rules.ASKS_WHAT.match(self._clause.said)
        return (self._clause.asks and rule in _TELLS) or (
            bool(asks_what) and (self._clause.asks or self._clause.only_asks)
        )

    def _put(self, act: Act, points: int, rule: str) -> None:
        if points > self._best.get(act, (0, ""))[0]:
            self._best[act] = (points, rule)

    def _add(self, points: int, *acts: Act) -> None:
        for act in acts:
            if act in self._best:
                self._best[act] = (self._best[act][0] + points, self._best[act][1])

    def _reply(self) -> None:
        """Score yes and no as replies in a dialogue of two; in a group the addressee is unclear."""
        before, said = self._before, self._clause.said
        if self._clause.group or self._clause.assistant or before is NOTHING:
            return
        accepts, refuses = reply_rules.ACCEPTS.match(said), reply_rules.REFUSES.match(said)
        closing = reply_rules.CLOSING.search(said)
        confirms = before.asked and reply_rules.CONFIRMS.match(said)
        if (before.proposed or confirms) and accepts and (not closing or said.startswith(("yes", "yeah"))):
            if not (said.startswith(("i ", "i'd ")) and self._clause.words > 3):
                self._put(Act.DECISION, 70, YES_TO_A_PROPOSAL)
        elif before.proposed and refuses and not closing and self._clause.words > 3 and self._clause.names_another:
            self._put(Act.CORRECTION, 60, NO_TO_A_PROPOSAL)
        self._reply_to_a_request(accepts=accepts is not None, refuses=refuses is not None)

    def _reply_to_a_request(self, *, accepts: bool, refuses: bool) -> None:
        before, said = self._before, self._clause.said
        if before.requested >= ENOUGH and not self._clause.turn_asks:
            if accepts:
                self._put(Act.COMMITMENT, 56, "yes to a request")
            elif refuses:
                self._put(Act.COMMITMENT, 50, "no to a request")
            elif before.deed and (reply_rules.GOES_ALONG.match(said) or self._clause.in_a_short_turn):
                self._put(Act.COMMITMENT, 50, GOES_ALONG)
        elif reply_rules.DECLINES.match(said):
            self._put(Act.COMMITMENT, 50, "no to a request")
        elif before.offered and reply_rules.THANKED.match(said):
            self._put(Act.COMMITMENT, 50, GOES_ALONG)

    def _phrases(self) -> None:
        if self._clause.words < 2 and self._clause.said.isascii():
            return
        if tells_of_done(self._clause.said):
            self._put(Act.FACT, 44, "done")
        for rule in self._rules_worth_trying():
            # Some corrections are recognized by filler words.
            turns = self._clause.raw if rule.act is Act.CORRECTION else self._clause.said
            if rule.points > self._best.get(rule.act, (0, ""))[0] and rule.pattern.search(turns):
                self._put(rule.act, rule.points, rule.name)
        if not _BINDING.isdisjoint(self._best) and statement_rules.CONDITIONAL.search(self._clause.said):
            self._add(-15, Act.COMMITMENT, Act.DECISION)
        if Act.REQUEST in self._best and reply_rules.BOILERPLATE.search(self._clause.said):
            self._add(-20, Act.REQUEST)

    def _rules_worth_trying(self) -> list[Rule]:
        """Return the rules that may match these words, in table order."""
        raw, said = self._clause.raw, self._clause.said
        places = _RULES_BY_WORD.worth_trying(raw if raw == said else f"{raw} {said}")
        rules = [statement_rules.RULES[place] for place in places]
        if self._clause.orders:
            return rules
        left_out = statement_rules.NOT_AN_ASSISTANTS if self._clause.assistant else statement_rules.TO_AN_ASSISTANT
        return [rule for rule in rules if rule.name not in left_out]

    def _question_or_answer(self) -> None:
        said, before = self._clause.said, self._before
        if self._clause.asks:
            if self._clause.marked and statement_rules.MENDED.search(
                statement_rules.EXCLAIMED.sub("", self._clause.raw)
            ):
                self._put(Act.CORRECTION, 70, "mended")
            points = 60 if self._clause.marked else 52 if self._clause.words >= _ASKED and not breaks_off(said) else 45
            points = 40 if reply_rules.RHETORICAL.match(said) else points
            self._put(Act.QUESTION, points, "question mark" if self._clause.marked else "question words")
            if self._best.get(Act.FACT, (0, ""))[1] not in (_WANTED if self._clause.marked else _TOLD_TOO):
                self._best.pop(Act.FACT, None)
        elif self._clause.words > 3 and reply_rules.QUESTION.match(said):
            self._put(Act.QUESTION, 45, "question words")
        elif before.asked and before.brief and self._clause.in_a_short_turn:
            replies = (reply_rules.ACCEPTS.match, reply_rules.REFUSES.match, reply_rules.CLOSING.search)
            if not (
                self._clause.wants_a_text or reply_rules.THANKS.match(said) or any(reply(said) for reply in replies)
            ):
                self._put(Act.FACT, 52, "answer")
        if self._clause.only_asks:
            self._best.pop(Act.FACT, None)

    def _exactness(self) -> None:
        """Score facts by exactness: a stated number, date or name matters more."""
        before = self._before
        if (
            not self._clause.only_asks
            and not self._clause.wants_a_text
            and (not self._clause.marked or Act.REQUEST in self._best)
            and (self._clause.exact or self._clause.counts)
        ):
            if (
                before.brief
                and self._clause.in_a_short_turn
                and (before.asked or Act.REQUEST in self._best or self._clause.to_an_assistant)
            ):
                self._put(Act.FACT, 42 if before.asked else 44, "exact")
            else:
                self._put(Act.FACT, 34, "exact")
            if Act.REQUEST in self._best and before.brief and self._clause.in_a_short_turn:
                self._best[Act.FACT] = (max(self._best[Act.FACT][0], 44), self._best[Act.FACT][1])
            self._add(10, Act.FACT)
        if Act.FACT in self._best and self._clause.in_a_text and not statement_rules.PERSONAL.search(self._clause.said):
            self._add(-20, Act.FACT)

    def _who_says_it(self) -> None:
        if self._clause.assistant:
            contradicts = self._clause.exact and statement_rules.CONTRADICTION.search(self._clause.said)
            self._add(-26, Act.FACT, *(() if contradicts else (Act.CORRECTION,)))
            self._add(-20, Act.DECISION)
        if self._clause.group:
            self._add(-10, Act.FACT, Act.REQUEST, Act.DECISION)
