"""The cut: nodes that cover the folded past exactly once, each at some level, all others on one range line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turnfold.assemble.forms.markers import turns_marker
from turnfold.assemble.forms.render_text import range_line
from turnfold.assemble.material import Material
from turnfold.assemble.plan import ShownNode
from turnfold.assemble.pricing import Pricing
from turnfold.contract.records import Node

_COARSEST: Final = 3
_FINEST: Final = 1


class Cut:
    """Which nodes are shown, and how. Built, changed and read within one selection."""

    def __init__(
        self,
        material: Material,
        pricing: Pricing,
        *,
        joined: Iterable[Node],
        shown: Iterable[ShownNode] = (),
        tags_tokens: int = 0,
    ) -> None:
        self._material = material
        self._pricing = pricing
        self.joined = list(joined)
        self._shown = {(one.node.height, one.node.idx): one for one in shown}
        self._line_tokens = joined_tokens(material, pricing) + tags_tokens
        self._prices: dict[tuple[int, int, int], int | None] = {}
        self.tokens = sum(self._price(one) for one in self._shown.values())
        if self.joined:
            self.tokens += self._line_tokens

    def shown(self) -> tuple[ShownNode, ...]:
        """The nodes that are not joined, in order."""
        return tuple(sorted(self._shown.values(), key=lambda one: one.node.first_seq))

    def refine(self, room: int) -> None:
        """Spend up to `room` tokens on detail, the newest nodes first, so that what stands before them stays."""
        room -= self._split(room)
        waiting = list(self.shown())
        while waiting:
            one = waiting.pop()
            for finer in self._ways(one):
                prices = [self._price_of(new.node, new.level) for new in finer]
                cost = sum(price or 0 for price in prices) - self._price(one)
                if None not in prices and 0 < cost <= room:
                    room -= cost
                    self._replace(one, finer)
                    waiting += [new for new in finer if new.node is not one.node]
                    break

    def split_joined(self, room: int) -> None:
        """Show joined nodes by themselves, as coarse as can be, the newest first, for up to `room` tokens."""
        self._split(room)

    def shrink(self, room: int) -> None:
        """Give up detail, the oldest first, until at most `room` tokens are spent or only the range line is left."""
        for level in range(_FINEST + 1, _COARSEST + 1):
            for one in self.shown():
                if self.tokens <= room:
                    return
                self._coarsen(one, level)
        for one in self.shown():
            if self.tokens <= room:
                return
            del self._shown[one.node.height, one.node.idx]
            self.tokens -= self._price(one) - (0 if self.joined else self._line_tokens)
            self.joined.append(one.node)

    def newest(self) -> tuple[Node, int] | None:
        """The newest node of the cut, and what it costs."""
        if self._shown:
            one = max(self._shown.values(), key=lambda one: one.node.first_seq)
            return one.node, self._price(one)
        if self.joined:
            return self.joined[-1], self._line_tokens if len(self.joined) == 1 else 0
        return None

    def drop_newest(self) -> None:
        """Leave the newest node out: its turns are shown raw."""
        found = self.newest()
        if found is None:
            return
        node, tokens = found
        self.tokens -= tokens
        if self._shown.pop((node.height, node.idx), None) is None:
            self.joined.pop()

    def _price(self, one: ShownNode) -> int:
        return self._price_of(one.node, one.level) or 0

    def _price_of(self, node: Node, level: int) -> int | None:
        key = (node.height, node.idx, level)
        if key not in self._prices:
            self._prices[key] = self._pricing.node(node, level)
        return self._prices[key]

    def _ways(self, one: ShownNode) -> list[tuple[ShownNode, ...]]:
        """Ways to show a node in more detail, the finest first."""
        children = self._material.children(one.node)
        opened = [tuple(ShownNode(child, level) for child in children) for level in (1, 2, 3) if children]
        return [*opened, *((ShownNode(one.node, level),) for level in range(_FINEST, one.level))]

    def _split(self, room: int) -> int:
        """As `split_joined`; the tokens that it cost."""
        spent = 0
        while self.joined:
            one = self._coarsest(self.joined[-1])
            freed = self._line_tokens if len(self.joined) == 1 else 0
            cost = self._price(one) - freed
            if spent + cost > room:
                break
            spent += cost
            self.joined.pop()
            self._shown[one.node.height, one.node.idx] = one
        self.tokens += spent
        return spent

    def _coarsest(self, node: Node) -> ShownNode:
        known = (level for level in range(_COARSEST, 0, -1) if self._price_of(node, level) is not None)
        return ShownNode(node, next(known, _COARSEST))

    def _replace(self, one: ShownNode, finer: tuple[ShownNode, ...]) -> None:
        self.tokens -= self._price(one)
        del self._shown[one.node.height, one.node.idx]
        for new in finer:
            self._shown[new.node.height, new.node.idx] = new
            self.tokens += self._price(new)

    def _coarsen(self, one: ShownNode, level: int) -> None:
        price = self._price_of(one.node, level)
        if one.level < level and price is not None and price < self._price(one):
            self.tokens += price - self._price(one)
            self._shown[one.node.height, one.node.idx] = ShownNode(one.node, level)


def joined_tokens(material: Material, pricing: Pricing) -> int:
    """At most what a range line costs, without tags; 0 when nothing is folded."""
    last_seq = material.closed_seq
    return pricing.count(range_line(1, last_seq, marker=turns_marker(1, last_seq, level=_COARSEST))) if last_seq else 0
