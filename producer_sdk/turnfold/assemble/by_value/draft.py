"""A plan under construction: the candidates of its parts, and the tokens that they leave to each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from turnfold.assemble.by_value.answers import Answers
from turnfold.assemble.by_value.frame import Frame
from turnfold.assemble.by_value.group_spans import GroupSpan, grouped, last_day
from turnfold.assemble.by_value.past import Past
from turnfold.assemble.by_value.query_notes import Asked
from turnfold.assemble.fixed_parts import with_lines
from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.groups import Group
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan
from turnfold.assemble.pricing import Pricing
from turnfold.contract.notes import Note
from turnfold.contract.outlines import Outline
from turnfold.contract.records import Node

WORTH_FILLING: Final = 0.02
"""Share of the budget: with more than this to spare, more turns or notes are shown."""


class Draft:
    """The parts of one context; each step uses what the others leave."""

    def __init__(
        self, material: Material, pricing: Pricing, plan: Plan, answers: Answers, *, target: int, fixed: int,
        in_detail: Sequence[Node],
    ) -> None:  # fmt: skip
        """`plan` has the system text, the task and the first recent turns; later steps only add to those."""
        self.material: Final = material
        self.pricing: Final = pricing
        self.policy: Final = material.request.policy
        self.outline: Final = material.snapshot.outline or Outline()
        self.target: Final = target
        self.usable: Final = max(1, material.request.usable_tokens)
        """Target of the first attempt; decisions based on it are the same for reads with other queries."""
        self.fixed: Final = fixed
        """Tokens of the system text, the task and the frame around all else."""
        self.in_detail: Final = tuple((node.first_seq, node.last_seq) for node in in_detail)
        self.answers: Final = answers
        self.left = 0
        """Tokens that no part uses."""
        self.left_by_answer = 0
        """Tokens for matches of the newest turn that other notes got in their place; the last turns may claim them."""
        self.taken_of_answer = 0
        """Tokens of `left_by_answer` that the last turns claimed."""
        self.kept_free = 0
        """Tokens that the work state and late names leave of their room; they change with each turn, so they go to the
        end."""
        self.anchor_tokens = 0
        """Tokens of the shown anchors."""
        self.anchor_words: dict[int, set[str]] = {}
        """Words of the shown anchors, by turn."""
        self.whole_requests: tuple[int, ...] = ()
        """Turns whose requests are shown whole, so that their notes would repeat them."""
        self.anchors_by: Hashable = ()
        """Cache key of the choice of anchors."""
        self.first_tokens = 0
        """Tokens of requests, anchors, names and actions."""
        self.answered: int | None = None
        """Tokens of answers when they were last chosen: more raw turns do not add answers."""
        self.asked: tuple[Hashable, Asked] | None = None
        """Notes for a question as last chosen, with their cache key."""
        self.telling: frozenset[int] = frozenset()
        """Turns of the open tail worth as much per token as the notes that are left; all turns if no notes are left."""
        self.has_more_notes = True
        """Whether some notes of the past are not shown."""
        self._past: Past | None = None
        self._raw_priced: tuple[tuple[ShownTurn, ...] | None, int] = (None, 0)
        self.plan = plan
        self.show_raw(plan.raw)
        self.raw_at_first: Final = self.raw_tokens
        self.first_raw_at_first: Final = self.frame.first_raw
        # Later steps only show more turns raw, which leaves fewer turns that may answer.
        is_asked = material.request.steered or self.answers.are_before(self.frame.first_raw)
        self.may_be_parted: Final = bool(material.snapshot.passages or self.in_detail or is_asked)

    def show_raw(self, raw: tuple[ShownTurn, ...]) -> None:
        """Set the recent turns, and the lines for turns before them."""
        self.plan = with_lines(self.plan, self.material, raw)
        self.frame = Frame(self.material, self.plan, self.outline, target=self.target)

    def show_notes(self, groups: tuple[Group, ...], late: Sequence[Note], answer: Asked) -> None:
        """Set the notes of folded turns and of the open tail, and the answers."""
        span = self.frame.tail
        self.plan = self.plan._replace(
            groups=groups,
            hits=answer.hits,
            allotted=(*self.plan.allotted, ("excerpts", answer.tokens)),
            excerpts=answer.said.shown,
            answers=answer.said.answers,
            tail=self._tail(span, late, groups) if span else None,
            unfolded=self.frame.unfolded,
        )

    def _tail(self, span: GroupSpan, notes: Sequence[Note], groups: Sequence[Group]) -> Group:
        """Notes of the open tail; a day heading in force at the end of the groups is not repeated right after them."""
        day = "" if self.may_be_parted else last_day(groups)
        return self.material.memo.of(("tail", span, day, tuple(notes)), lambda: grouped([span], notes, day=day)[0])

    @property
    def opened(self) -> list[GroupSpan]:
        """Spans of turns whose lines have notes below them."""
        return [*self.frame.spans, *([self.frame.tail] if self.frame.tail else [])]

    @property
    def past(self) -> Past:
        """Notes of folded turns that no other part repeats."""
        before_seq, anchored = self.frame.first_raw, self.anchor_words
        if self._past is None or not self._past.is_before(before_seq, anchored):
            told_elsewhere = (*self.in_detail, *((seq, seq) for seq in self.whole_requests))
            notes, memo = self.material.notes, self.material.memo
            said: dict[int, list[int]] = memo.of(("said", self.anchors_by, notes is self.outline.notes), dict)
            self._past = Past(
                notes, before_seq=before_seq, anchored=anchored, in_detail=told_elsewhere,
                cold=self.material.snapshot.cold, said=said,
            )  # fmt: skip
        return self._past

    @property
    def raw_tokens(self) -> int:
        """Tokens of the recent turns."""
        if self.plan.raw is not self._raw_priced[0]:
            self._raw_priced = (self.plan.raw, self.pricing.raw(self.plan.raw))
        return self._raw_priced[1]

    @property
    def frame_tokens(self) -> int:
        """Upper bound of the tokens of headers and lines around notes."""
        return self.frame.tokens(self.pricing, may_be_parted=self.may_be_parted)

    @property
    def is_worth_filling(self) -> bool:
        """True if enough is left over to show more."""
        return self.left > WORTH_FILLING * self.target
