"""A plan in the making: what its parts are chosen from, and what they leave to each other."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from turnfold.assemble.by_value.answers import Answers
from turnfold.assemble.by_value.asked import Asked
from turnfold.assemble.by_value.frame import Frame
from turnfold.assemble.by_value.group_spans import GroupSpan, grouped, last_day
from turnfold.assemble.by_value.past import Past
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
"""Of the budget: with more than this to spare, more turns or notes are shown."""


class Draft:
    """The parts of one context; each step looks at what the others leave."""

    def __init__(
        self, material: Material, pricing: Pricing, plan: Plan, answers: Answers, *, target: int, fixed: int,
        in_detail: Sequence[Node],
    ) -> None:  # fmt: skip
        """`plan` has system text, task, and the recent turns to begin with: later steps only show more."""
        self.material: Final = material
        self.pricing: Final = pricing
        self.policy: Final = material.request.policy
        self.outline: Final = material.snapshot.outline or Outline()
        self.target: Final = target
        self.usable: Final = max(1, material.request.usable_tokens)
        """What the first attempt aimed at: what is decided by it is the same for reads that ask other questions."""
        self.fixed: Final = fixed
        """Tokens of system text and task, and of the frame around all else."""
        self.in_detail: Final = tuple((node.first_seq, node.last_seq) for node in in_detail)
        self.answers: Final = answers
        self.left = 0
        """Tokens that no part has taken."""
        self.left_by_answer = 0
        """Of what the newest turn may bring, what it does not, and other notes have: the last turns come first."""
        self.taken_of_answer = 0
        """What of that the last turns took."""
        self.kept_free = 0
        """Of the room for the state and late names what they leave; it changes with each turn, and is for the end."""
        self.anchor_tokens = 0
        """What the anchors cost that are shown."""
        self.anchor_words: dict[int, set[str]] = {}
        """Of the anchors that are shown, by turn."""
        self.whole_requests: tuple[int, ...] = ()
        """Turns whose requests are shown whole: their notes would say the same."""
        self.anchors_by: Hashable = ()
        """What the choice of anchors depends on."""
        self.first_tokens = 0
        """What anchors, names and actions take."""
        self.answered: int | None = None
        """What answers took when they were last chosen: more turns do not bring more of them."""
        self.asked: tuple[Hashable, Asked] | None = None
        """Notes for a question, and what they depend on, as they were last chosen."""
        self.telling: frozenset[int] = frozenset()
        """Turns of the open tail that tell as much for a token as notes that are left; all where none are."""
        self.has_more_notes = True
        """Whether notes of the past are left that are not shown."""
        self._past: Past | None = None
        self._raw_priced: tuple[tuple[ShownTurn, ...] | None, int] = (None, 0)
        self.plan = plan
        self.show_raw(plan.raw)
        self.raw_at_first: Final = self.raw_tokens
        self.first_raw_at_first: Final = self.frame.first_raw
        # Only more turns are shown raw later on, and then fewer may answer.
        is_asked = material.request.steered or self.answers.are_before(self.frame.first_raw)
        self.may_be_parted: Final = bool(material.snapshot.passages or self.in_detail or is_asked)

    def show_raw(self, raw: tuple[ShownTurn, ...]) -> None:
        """Show these recent turns, and lines for the turns before them."""
        self.plan = with_lines(self.plan, self.material, raw)
        self.frame = Frame(self.material, self.plan, self.outline, target=self.target)

    def show_notes(self, groups: tuple[Group, ...], late: Sequence[Note], answer: Asked) -> None:
        """Show notes of what is folded, of the open tail, and what answers."""
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
        """Notes of the open tail; the day under which all before it ends is not repeated right behind it."""
        day = "" if self.may_be_parted else last_day(groups)
        return self.material.memo.of(("tail", span, day, tuple(notes)), lambda: grouped([span], notes, day=day)[0])

    @property
    def opened(self) -> list[GroupSpan]:
        """The lines that notes stand under."""
        return [*self.frame.spans, *([self.frame.tail] if self.frame.tail else [])]

    @property
    def past(self) -> Past:
        """Notes of what is folded, but for those that something else says."""
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
        """What the recent turns cost."""
        if self.plan.raw is not self._raw_priced[0]:
            self._raw_priced = (self.plan.raw, self.pricing.raw(self.plan.raw))
        return self._raw_priced[1]

    @property
    def frame_tokens(self) -> int:
        """At most the tokens of headers and lines around notes."""
        return self.frame.tokens(self.pricing, may_be_parted=self.may_be_parted)

    @property
    def is_worth_filling(self) -> bool:
        """True where enough is left over to show more."""
        return self.left > WORTH_FILLING * self.target
