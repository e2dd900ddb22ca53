"""The parts of a context by value: whatever says most for a token, over all that was said.

Recent turns raw, anchors and names up to their shares; all the rest is for notes, best first, under one line for
each group of neighbouring nodes, so that every turn is under exactly one line and can be expanded from there.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from typing import Final

from turnfold.assemble import recent
from turnfold.assemble.by_value.answers import Answers
from turnfold.assemble.by_value.asked import Asked, asked, room_unasked
from turnfold.assemble.by_value.fitting import (
    fitting_anchors,
    fitting_late_names,
    fitting_names,
    fitting_notes,
)
from turnfold.assemble.by_value.frame import Frame
from turnfold.assemble.by_value.group_spans import GroupSpan, grouped, last_day, with_more
from turnfold.assemble.by_value.latest_actions import fitting_actions
from turnfold.assemble.by_value.past import Past, Taken
from turnfold.assemble.by_value.top_anchors import TopAnchors
from turnfold.assemble.fixed_parts import fixed_plan, with_lines
from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.groups import Group
from turnfold.assemble.forms.render_text import names_line
from turnfold.assemble.material import Material
from turnfold.assemble.memo import Memo
from turnfold.assemble.plan import Plan
from turnfold.assemble.policy import AnchorsRoom
from turnfold.assemble.pricing import Pricing
from turnfold.contract.note_lists import NoteRow
from turnfold.contract.notes import Note
from turnfold.contract.outlines import Outline
from turnfold.contract.records import Node

_WORTH_FILLING: Final = 0.02
"""Of the budget: with more than this to spare, more turns are shown raw."""
_ALL_FOR_NAMES: Final = 1_000
"""Tokens of a budget beyond which names have less of it: the best ones stand there already."""
_LATE_NAMES: Final = 6
"""One part in six of what names may have is at most for those of turns that are not folded yet."""
_DEARER: Final = 1.1
"""How much less than the budget a target may be before the share of anchors is less too."""
_ROUNDS: Final = 4
_MOST_OF_NOTES: Final = 8
"""Results that are remembered of the same notes: they differ in what is left over for a few more."""
_CHANGING_LINES: Final = 48
"""Tokens of headers and of the lines for what is neither folded nor raw, about: at most what they usually cost."""
_OF_TAIL: Final = 0.5
"""Of what the least note of the past tells for a token: notes of the open tail that tell less are not shown."""
_STEERED: Final = 4
"""One part in four of what notes may have is at most for what the last turn speaks of: it asks for nothing."""
_LINES_GROW: Final = 8
_ENOUGH: Final = 2**31
"""Tokens: room for all."""


def parts_by_value(material: Material, pricing: Pricing, *, target: int, in_detail: Sequence[Node] = ()) -> Plan:
    """A plan of about `target` tokens; what has to be shown may cost more than that.

    Segments that are shown `in_detail` beside it have no notes in it but those that a query is about.
    """
    plan = fixed_plan(material, pricing, target=target)
    fixed = pricing.count(plan.system) + pricing.count(plan.task)
    if (shown := recent.everything(material, pricing, room=target - fixed)) and plan.system_marker is None:
        return plan._replace(raw=shown, allotted=(("recent", target - fixed),))
    selection = _Selection(material, pricing, plan, target=target, fixed=fixed, in_detail=in_detail)
    selection.take_the_past()
    for _ in range(_ROUNDS):
        if not selection.show_more_raw():
            break
        selection.take_the_past()
    selection.fill()
    return selection.plan


class _Selection:
    """The parts of one context; each step looks at what the others leave."""

    def __init__(
        self, material: Material, pricing: Pricing, plan: Plan, *, target: int, fixed: int, in_detail: Sequence[Node]
    ) -> None:
        self._material = material
        self._pricing = pricing
        self._policy = material.request.policy
        self._outline = material.snapshot.outline or Outline()
        self._actions = material.memo.of("actions", lambda: self._outline.all_actions)
        self._target = target
        self._usable = max(1, material.request.usable_tokens)
        """What the first attempt aimed at: what is decided by it is the same for reads that ask other questions."""
        self._fixed = fixed
        self._in_detail = tuple((node.first_seq, node.last_seq) for node in in_detail)
        self._left = 0
        self._is_filling = False
        self._for_actions = 0
        self._kept_free = 0
        """Of the room for actions and late names what they leave; it changes with each turn, and is for the end."""
        self._anchor_words: dict[int, set[str]] = {}
        self._anchors_by: Hashable = ()
        self._raw_priced: tuple[tuple[ShownTurn, ...] | None, int] = (None, 0)
        self.plan = with_lines(plan, material, recent.at_first(material, pricing, target=target, room=target - fixed))
        self._frame = self._framed()
        self._raw_at_first = self._recent_tokens()
        self._first_raw_at_first = self._frame.first_raw
        self._answers = Answers(material)
        # Only more turns are shown raw later on, and then fewer may answer.
        answers = self._answers.are_before(self._frame.first_raw)
        self._may_be_parted = bool(material.snapshot.passages or in_detail or answers)

    def take_the_past(self) -> None:
        """All that is not shown raw."""
        self.take_anchors_and_names()
        self.take_notes()

    def take_anchors_and_names(self) -> None:
        """Anchors by rank and names by score, each up to its share; anchors of turns that are shown raw stand there."""
        first_raw = self._first_raw_at_first
        frame = self._frame.tokens(self._pricing, may_be_parted=self._may_be_parted)
        room = self._target - self._fixed - self._recent_tokens() - frame
        self._for_actions = min(self._actions_share(), max(0, room // 2))
        room -= self._for_actions
        # Half of the room at most: a context of anchors alone says nothing else.
        for_anchors = AnchorsRoom.of(self._policy, target=self._first_target(), most=room // 2, most_with_pins=room)
        newest = self._material.window[-1].created_at if self._material.window else None
        today = None if newest is None else newest.date()
        self._anchors_by = ("anchors", first_raw, for_anchors, self._target, today)
        top = TopAnchors.of(self._material.snapshot.anchors)
        anchors = self._material.memo.of(
            self._anchors_by, lambda: fitting_anchors(top, first_raw, for_anchors, self._pricing, today=today)
        )
        room -= anchors.tokens
        most_names = self._names_share()
        for_names = max(0, min(room, most_names))
        for_late = for_names // (_LATE_NAMES if self._outline.names else 1)
        names = fitting_names(self._outline.names, for_names - for_late, self._pricing)
        late = fitting_late_names(self._outline.tail_names, names, for_late, self._pricing) if self._frame.tail else ()
        room -= self._pricing.count(names_line(names)) if names else 0
        room -= for_late
        actions = fitting_actions(self._actions, self.plan.raw, self._for_actions, self._pricing)
        changing = (*actions, *([names_line(late)] if late else []))
        self._kept_free = self._for_actions + for_late - sum(map(self._pricing.count, changing))
        self.plan = self.plan._replace(
            anchors=anchors.anchors, names=names, late_names=late, actions=actions,
            allotted=(
                ("anchors", max(int(self._policy.anchors_share * self._target), anchors.tokens)),
                ("names", most_names),
                ("actions", self._for_actions),
                ("recent", int(self._policy.recent_share * self._target)),
            ),
        )  # fmt: skip
        self._left = room
        self._anchor_words = anchors.words

    def take_notes(self) -> None:
        """Notes of what is folded and of the open tail, best first.

        What is folded has room in steps, so that its notes stay the same while the recent turns grow. What the last
        step leaves goes to the tail, or to more notes near the end, before which everything stays.
        """
        spans, tail = self._frame.spans, self._frame.tail
        opened = [*spans, *([tail] if tail else [])]
        first_raw = self._frame.first_raw
        past = Past(self._outline.notes, before_seq=first_raw, anchored=self._anchor_words, in_detail=self._in_detail)
        late = [note for note in self._outline.tail if note.seq < first_raw] if tail else []
        chosen, answer, memo = self._with_answer(past, opened, self._steady_room())
        left = self._left - chosen.tokens - answer.tokens
        if late := [note for note in late if note.seq not in answer.said.whole]:
            worth = _OF_TAIL * min((note.gain for note in chosen.notes), default=0)
            late = [note for note in late if note.gain >= worth]
            of_tail = self._chosen(late, opened, min(left + self._more_raw(), left + self._kept_free))
            late = of_tail.notes
            left -= of_tail.tokens
        groups = memo.of("groups", lambda: grouped(spans, chosen.notes))
        worth_filling = self._is_filling and left > _WORTH_FILLING * self._target
        if answer.notes and worth_filling:
            longer = answer.with_more(past, chosen.notes, left, self._pricing)
            left -= longer.tokens - answer.tokens
            answer = longer
        elif chosen.notes and worth_filling:
            more = memo.of("more", lambda: past.near_the_end_of(chosen.notes))
            near = self._chosen(more, opened, left).notes
            before = groups
            # Together they need fewer labels.
            groups, tokens = memo.of(
                ("near", tuple(near)),
                lambda: (
                    with_more(before, near),
                    fitting_notes(near, opened, _ENOUGH, self._pricing, standing=chosen.standing).tokens,
                ),
            )
            left -= tokens
        self._left = left + self._kept_free
        self.plan = self.plan._replace(
            groups=groups,
            hits=answer.hits,
            allotted=(*self.plan.allotted, ("excerpts", answer.tokens)),
            excerpts=answer.said.shown,
            answers=answer.said.answers,
            tail=self._tail(tail, late, groups) if tail else None,
            unfolded=self._frame.unfolded,
        )

    def _tail(self, span: GroupSpan, notes: Sequence[Note], groups: Sequence[Group]) -> Group:
        """Notes of the open tail; the day under which all before it ends is not repeated right behind it."""
        day = "" if self._may_be_parted else last_day(groups)
        return self._material.memo.of(("tail", span, day, tuple(notes)), lambda: grouped([span], notes, day=day)[0])

    def _steady_room(self) -> int:
        """What notes of what is folded may cost: the same while turns are appended, but for steps."""
        policy, usable, last = self._policy, self._usable, self._raw_at_first
        kept = max(recent.reserve(self._material, usable), last + -last % max(1, int(policy.recent_step * usable)))
        lines = self._frame.tokens(self._pricing, may_be_parted=self._may_be_parted)
        changing_lines = lines - self._frame.folded_tokens(self._pricing)
        first_room = (
            self._left + self._recent_tokens() - kept + usable - self._target + changing_lines - _CHANGING_LINES
        )
        first_room -= first_room % max(1, int(policy.tail_step * usable))
        return max(0, min(first_room - usable + self._target, self._left + self._kept_free))

    def _more_raw(self) -> int:
        """Tokens of the recent turns that were left over for them."""
        return self._recent_tokens() - self._raw_at_first

    def _with_answer(self, past: Past, opened: Sequence[GroupSpan], room: int) -> tuple[Taken, Asked, Memo]:
        """Notes of the past, the same whatever is asked, and what a query adds to them.

        The last remembers what is made of the first, for later reads too.
        """
        first_raw = self._frame.first_raw
        most = room if self._material.request.query else min(room, int(self._policy.steered_share * self._target))
        quote = partial(
            self._answers.quoted, self._pricing, before_seq=first_raw, target=self._target, most_tokens=most // 2
        )
        if not (found := self._answers.notes(first_raw)):
            said = quote(background=())
            chosen, memo = self._of_the_past(past, opened, room - said.tokens)
            return chosen, Asked(said, tokens=said.tokens), memo
        chosen, memo = self._of_the_past(past, opened, self._room_unasked(room))
        shown = {(note.seq, note.place) for note in chosen.notes}
        answer = asked(found, past, shown, quote(background=shown), room - chosen.tokens, self._pricing)
        return chosen, answer, memo

    def _room_unasked(self, room: int) -> int:
        """Tokens of `room` for notes that stand there whatever is asked.

        Those of the first attempt for a budget: what is asked decides how much further attempts aim at.
        """
        usable = self._usable
        first_room = room + usable - self._target
        if self._material.request.query is None:
            most = first_room - min(int(self._policy.steered_share * usable), first_room // _STEERED)
        else:
            most = room_unasked(first_room, share=self._policy.unasked_share, target=usable)
        return max(0, min(room, most))

    def _of_the_past(self, past: Past, opened: Sequence[GroupSpan], room: int) -> tuple[Taken, Memo]:
        """Notes of the past, and what remembers what is made of them."""
        key = (
            "past", self._material.request.budget_tokens, self._frame.first_raw, self._anchors_by, room, tuple(opened),
            self._in_detail, self._pricing.brief,
        )  # fmt: skip
        memo = self._material.memo.of(key, partial(Memo, _MOST_OF_NOTES))
        return memo.of("notes", lambda: self._chosen(past, opened, room)), memo

    def fill(self) -> None:
        """Spend what no more raw turns can take on more notes near the end."""
        if self._left > _WORTH_FILLING * self._target:
            self._is_filling = True
            self.take_the_past()

    def show_more_raw(self) -> bool:
        """Spend what notes left over on more of the recent turns and on those before them; True when that is some."""
        material = self._material
        if self._left <= _WORTH_FILLING * self._target or not self.plan.raw:
            return False
        # The lines above what is raw may grow by some tokens when less is left to them.
        room = self._left - _LINES_GROW
        longer = recent.widened(material, self._pricing, self.plan.raw, room=room)
        if longer is self.plan.raw:
            # Beyond all that could be shown a budget gives up no more: a larger one would show less.
            readable = sum(self._material.window.tokens)
            step = int(self._policy.raw_step * min(self._target, readable))
            longer = recent.before(material, self._pricing, self.plan.raw, room=room, step=step)
        if longer is self.plan.raw:
            return False
        self.plan = with_lines(self.plan, material, longer)
        self._frame = self._framed()
        return True

    def _first_target(self) -> int:
        """What the first attempt aimed at, the same for reads that ask other things; less for a dearer counter."""
        return min(self._usable, int(_DEARER * self._target))

    def _framed(self) -> Frame:
        return Frame(self._material, self.plan, self._outline, target=self._target)

    def _actions_share(self) -> int:
        """Tokens that the last actions may have, the same whatever they are: what they leave is for the end."""
        return int(self._policy.actions_share * self._target) if self._actions else 0

    def _names_share(self) -> int:
        """Tokens that names may have: what tools said of all, of a small budget; a quarter of it of what is beyond."""
        counted = min(self._target, _ALL_FOR_NAMES) + max(0, self._target - _ALL_FOR_NAMES) // 4
        return self._outline.tool_percent * counted // 100

    def _chosen(self, notes: Iterable[NoteRow], spans: Sequence[GroupSpan], room: int) -> Taken:
        return fitting_notes(notes, spans, room, self._pricing)

    def _recent_tokens(self) -> int:
        return self._priced(self.plan.raw)

    def _priced(self, raw: tuple[ShownTurn, ...]) -> int:
        if raw is not self._raw_priced[0]:
            self._raw_priced = (raw, self._pricing.raw(raw))
        return self._raw_priced[1]
