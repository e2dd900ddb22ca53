"""The parts of a context by age: what is shown, and in how much detail, for a number of tokens.

First what is always there, then recent turns, anchors and excerpts up to their shares, then the cut; what is left
over goes to more detail, more raw turns, more anchors.
"""

from __future__ import annotations

from typing import Final

from turnfold.assemble import recent
from turnfold.assemble.by_age.bands import age_cut
from turnfold.assemble.by_age.cut import Cut, joined_tokens
from turnfold.assemble.excerpts import passages
from turnfold.assemble.fixed_parts import fixed_plan, frame_tokens, with_lines
from turnfold.assemble.forms.chat import ShownTurn, with_tool_groups
from turnfold.assemble.forms.render_text import ANCHORS_HEADER
from turnfold.assemble.material import Material
from turnfold.assemble.plan import Plan, ShownNode
from turnfold.assemble.policy import AnchorsRoom
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.raw_turn import show
from turnfold.contract.records import PINNED_RANK, Anchor, Node

_MOST_TAGS: Final = 60
"""Tokens for the tags of a range line, whatever the budget: a longer list says less than a node by itself."""

_WORTH_FILLING: Final = 0.01
"""Of the budget: less than this is not worth another anchor or excerpt."""


def parts_by_age(material: Material, pricing: Pricing, *, target: int, seed: Plan | None = None) -> Plan:
    """A plan of about `target` tokens; what has to be shown may cost more than that.

    `seed` is an earlier plan of the same material: its cut is the one that is then made finer or coarser, because
    only texts that it asked for are at hand.
    """
    selection = _Selection(material, pricing, target=target, seed=seed)
    if not selection.take_everything():
        selection.take_recent()
        selection.take_anchors(int(material.request.policy.anchors_share * target))
        selection.take_cut()
        selection.take_raw_segments(selection.recent_limit())
        selection.take_excerpts(selection.excerpts_limit())
        selection.fill()
    return selection.plan


class _Selection:
    """One pass over the parts; each step looks at what is left."""

    def __init__(self, material: Material, pricing: Pricing, *, target: int, seed: Plan | None) -> None:
        self._material = material
        self._policy = material.request.policy
        self._pricing = pricing
        self._target = target
        self._seed = seed
        self.plan = fixed_plan(material, pricing, target=target)
        self._fixed = pricing.count(self.plan.system) + pricing.count(self.plan.task)
        self._cut: Cut | None = None
        self._anchors_tokens = 0
        self._excerpts_tokens = 0
        self._slack = 0
        self._priced: tuple[tuple[ShownTurn, ...] | None, int] = (None, 0)

    def take_everything(self) -> bool:
        """Show the whole conversation raw if it fits."""
        room = self._target - self._fixed
        shown = recent.everything(self._material, self._pricing, room=room)
        if not shown or self.plan.system_marker is not None:
            return False
        self.plan = self.plan._replace(raw=shown, allotted=(("recent", room),))
        return True

    def take_recent(self) -> None:
        """The open tail. Its room grows in steps, so that the cut before it stays as it is for a while."""
        material, policy = self._material, self._policy
        least = with_lines(self.plan, material, ())
        room = self._target - self._fixed - self._frame_tokens(least) - self._joined_tokens()
        allowance = min(room, int(policy.tail_share * self._target))
        open_tail = material.after(material.closed_seq)
        raw = recent.tail(material, self._pricing, open_tail, allowance=allowance)
        self.plan = with_lines(self.plan, material, raw)
        if not material.snapshot.excerpts:
            step = max(1, int(policy.tail_step * self._target))
            used = self._recent_tokens(raw)
            self._slack = max(0, min(-used % step, room - used))

    def take_anchors(self, limit: int) -> None:
        """Anchors by rank while they fit into `limit` tokens, those of pinned turns into a share of their own.

        They are shown in the order in which they were said.
        """
        most = self._left() + self._anchors_tokens if self._cut else (self._left() - self._joined_tokens()) // 2
        room = AnchorsRoom.of(self._policy, target=self._target, limit=limit, most=most, most_with_pins=most)
        held = {anchor.id for anchor in self.plan.anchors}
        taken: list[Anchor] = []
        spent = self._anchors_tokens or self._pricing.count(ANCHORS_HEADER)
        for anchor in self._material.snapshot.anchors:
            price = 0 if anchor.id in held else self._pricing.anchor(anchor)
            most = room.most_with_pins if anchor.rank >= PINNED_RANK else room.most
            if spent + price <= most or anchor.id in held:
                taken.append(anchor)
                spent += price
        if taken:
            self._anchors_tokens = spent
            self.plan = self.plan._replace(anchors=tuple(sorted(taken, key=lambda anchor: anchor.position)))

    def take_cut(self) -> None:
        """Cover what is folded, with the detail that is left when all shares are taken."""
        material, policy, seed = self._material, self._policy, self._seed
        raw_limit = max(int(policy.recent_share * self._target), self._recent_tokens(self.plan.raw) + self._slack)
        others = self._left() + self._recent_tokens(self.plan.raw) + self._slack
        room = others - raw_limit - self.excerpts_limit()
        if seed is not None:
            shown = [*seed.shown, *(ShownNode(node, 3) for node in self._raw_segments(seed))]
            self._cut = Cut(material, self._pricing, joined=seed.joined, shown=shown, tags_tokens=seed.tags_tokens)
            self._cut.shrink(max(room, self._joined_tokens()))
            self.plan = self.plan._replace(tags_tokens=seed.tags_tokens)
            return
        tags = min(_MOST_TAGS, int(policy.tags_share * self._target), room - self._joined_tokens())
        self._cut = age_cut(material, self._pricing, left=others, room=room, tags_tokens=max(0, tags))
        self.plan = self.plan._replace(tags_tokens=max(0, tags))

    def take_raw_segments(self, limit: int) -> None:
        """Show the newest segments raw while the recent turns cost at most `limit`, and while there is room."""
        cut = self._cut
        while cut and (found := cut.newest()) is not None:
            node, price = found
            raw = self._raw_with(node)
            if raw is None:
                return
            tokens = self._recent_tokens(raw)
            grown = tokens - self._recent_tokens(self.plan.raw)
            if tokens + self._slack > limit or grown - price > self._left():
                return
            cut.drop_newest()
            self.plan = self.plan._replace(raw=raw)

    def take_excerpts(self, limit: int) -> None:
        """Excerpts by score while they fit into `limit` tokens."""
        first_raw = self.plan.raw[0].turn.seq if self.plan.raw else self._material.last_seq + 1
        limit = min(limit, self._left() + self._excerpts_tokens)
        taken, self._excerpts_tokens = passages(self._material, self._pricing, before_seq=first_raw, most_tokens=limit)
        self.plan = self.plan._replace(excerpts=taken)

    def fill(self) -> None:
        """Spend what is left over."""
        if self._cut is None:
            return
        self.take_raw_segments(self._target)
        self._cut.refine(self._left())
        self.take_raw_segments(self._target)
        if self._left() > _WORTH_FILLING * self._target and self.plan.excerpts:
            self.take_excerpts(self._excerpts_tokens + self._left())
        if self._left() > 2 * _WORTH_FILLING * self._target:
            self.take_anchors(self._anchors_tokens + self._left())
        policy = self._policy
        self.plan = self.plan._replace(
            joined=tuple(self._cut.joined),
            shown=self._cut.shown(),
            allotted=(
                ("anchors", max(int(policy.anchors_share * self._target), self._anchors_tokens)),
                ("excerpts", self.excerpts_limit()),
                ("recent", self.recent_limit()),
            ),
        )

    def recent_limit(self) -> int:
        """Tokens that raw turns may cost before anything is left over."""
        return max(int(self._policy.recent_share * self._target), 0)

    def excerpts_limit(self) -> int:
        """Tokens that excerpts may cost before anything is left over."""
        asked = self._material.question and self._material.snapshot.excerpts
        return int(self._policy.excerpts_share * self._target) if asked else 0

    def _left(self) -> int:
        cut = self._cut.tokens if self._cut else 0
        spent = self._fixed + self._anchors_tokens + self._excerpts_tokens + cut + self._slack
        spent += self._frame_tokens(self.plan) + self._recent_tokens(self.plan.raw)
        return self._target - spent

    def _frame_tokens(self, plan: Plan) -> int:
        """What headers and lines cost around a cut that covers all that is folded, whatever it is."""
        snapshot = self._material.snapshot
        return frame_tokens(
            recent.lines_of(plan.unfolded, plan.unread), self._pricing,
            has_folded=plan._replace(joined=self._material.roots).has_folded,
            may_be_parted=bool(snapshot.passages or snapshot.excerpts),
        )  # fmt: skip

    def _joined_tokens(self) -> int:
        return joined_tokens(self._material, self._pricing)

    def _recent_tokens(self, raw: tuple[ShownTurn, ...]) -> int:
        if raw is not self._priced[0]:
            self._priced = (raw, self._pricing.raw(raw))
        return self._priced[1]

    def _raw_with(self, node: Node) -> tuple[ShownTurn, ...] | None:
        """The raw turns with those of a segment before them; None when it cannot be shown raw."""
        material, raw = self._material, self.plan.raw
        follows = raw[0].turn.seq == node.last_seq + 1 if raw else material.last_seq == node.last_seq
        turns = material.turns_of(node)
        if node.height or not follows or not turns or node.first_seq in material.inside_groups:
            return None
        if any(turn.kept is not None for turn in turns):
            return None
        return with_tool_groups([*(show(material, self._pricing, turn) for turn in turns), *raw])

    def _raw_segments(self, plan: Plan) -> list[Node]:
        """Segments that a plan shows raw."""
        first = plan.raw[0].turn.seq if plan.raw else self._material.last_seq + 1
        return [
            node for (height, _), node in sorted(self._material.nodes.items())
            if height == 0 and first <= node.first_seq <= self._material.closed_seq
        ]  # fmt: skip
