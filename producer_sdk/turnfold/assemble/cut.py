"""The cut: nodes that cover the folded past exactly once, each at the level that is worth its tokens.

It starts as one range line over everything. Nodes leave the line newest first; a node is then shown in more
detail, or opened into its eight children, wherever a token buys most. What a level holds of a node is taken to
grow with the square root of its tokens: the first words say most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final

from turnfold.assemble.markers import turns_marker
from turnfold.assemble.material import Material
from turnfold.assemble.plan import ShownNode
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.render_text import range_line
from turnfold.contract.records import FAN_OUT, Node

_COARSEST: Final = 3
_FINEST: Final = 1

_JOINED_WORTH: Final = 0.3
"""What a range line holds of a node, beside the node's own tags."""


@dataclass(frozen=True, slots=True)
class _Way:
    """A node, or its children, at some level."""

    shown: tuple[ShownNode, ...]
    tokens: int
    worth: float


@dataclass(frozen=True, slots=True)
class _Move:
    """A change to a way that shows more, from what is shown now."""

    shown: tuple[ShownNode, ...]
    cost: int
    ratio: float
    """Worth for a token."""


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
        self._relevance = _relevance(material)
        self.joined = list(joined)
        self._shown = {(one.node.height, one.node.idx): one for one in shown}
        self._line_tokens = joined_tokens(material, pricing) + tags_tokens
        self._prices: dict[tuple[int, int, int], int | None] = {}
        self._known_ways: dict[tuple[int, int], list[_Way | None]] = {}
        self._worths: dict[tuple[int, int, int], float] = {}
        self.tokens = sum(self._price(one) for one in self._shown.values())
        if self.joined:
            self.tokens += self._line_tokens

    def shown(self) -> tuple[ShownNode, ...]:
        """The nodes that are not joined, in order."""
        return tuple(sorted(self._shown.values(), key=lambda one: one.node.first_seq))

    def grow(self, room: int) -> None:
        """Spend up to `room` tokens on detail, the best worth for a token first."""
        heap: list[tuple[float, int, int, tuple[int, int]]] = []
        for one in self._shown.values():
            self._offer(heap, one, room)
        heapify(heap)
        self._offer_split(heap, room)
        while heap:
            ratio, _, _, key = heappop(heap)
            held = self._shown.get(key)
            move = self._split(room) if held is None else self._best_move(held, room)
            if move is None:
                continue
            if -move.ratio > ratio:
                heappush(heap, (-move.ratio, -move.shown[0].node.first_seq, key[0], key))
                continue
            room -= move.cost
            self._apply(move, held)
            for new in move.shown:
                self._offer(heap, new, room)
            if held is None:
                self._offer_split(heap, room)

    def refine_newest(self, room: int) -> None:
        """Spend up to `room` tokens on detail for the newest nodes, so that what stands before them stays."""
        for one in reversed(self.shown()):
            move = self._best_move(one, room, finest=True)
            if move is not None:
                room -= move.cost
                self._apply(move, one)

    def split_joined(self, room: int) -> None:
        """Show joined nodes by themselves, as coarse as can be, the newest first, for up to `room` tokens."""
        while (move := self._split(room)) is not None:
            room -= move.cost
            self._apply(move, None)

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

    def _worth(self, node: Node, level: int) -> float:
        key = (node.height, node.idx, level)
        if key in self._worths:
            return self._worths[key]
        policy = self._material.request.policy
        favour = (
            1.0
            + policy.newest_favour * node.last_seq / max(1, self._material.closed_seq)
            + policy.importance_favour * node.importance / 100.0
            + policy.relevance_favour * self._relevance.get((node.height, node.idx), 0.0)
        )
        worth = favour * math.sqrt(max(node.tokens[0], node.tokens[level]) * node.tokens[level])
        self._worths[key] = worth
        return worth

    def _best_move(self, one: ShownNode, room: int, *, finest: bool = False) -> _Move | None:
        """The change that buys most for a token, or with `finest` the one that buys most of all."""
        now_tokens, now_worth = self._price(one), self._worth(one.node, one.level)
        ways = self._ways(one.node)
        best: _Move | None = None
        for way in ways[_COARSEST - one.level :]:
            if way is None or way.worth <= now_worth or way.tokens - now_tokens > room:
                continue
            cost = way.tokens - now_tokens
            ratio = (way.worth - now_worth) / (1 if finest else max(1, cost))
            if best is None or ratio > best.ratio:
                best = _Move(way.shown, cost, ratio)
        return best

    def _ways(self, node: Node) -> list[_Way | None]:
        """All ways to show a node in more detail than at level 3: its own levels 2 and 1, then its children's."""
        key = (node.height, node.idx)
        if key not in self._known_ways:
            found = [self._way((ShownNode(node, level),)) for level in (2, 1)]
            if children := self._material.children(node):
                found += [self._way(tuple(ShownNode(child, level) for child in children)) for level in (3, 2, 1)]
            self._known_ways[key] = found
        return self._known_ways[key]

    def _way(self, shown: tuple[ShownNode, ...]) -> _Way | None:
        tokens, worth = 0, 0.0
        for one in shown:
            price = self._price_of(one.node, one.level)
            if price is None:
                return None
            tokens += price
            worth += self._worth(one.node, one.level)
        return _Way(shown, tokens, worth)

    def _split(self, room: int) -> _Move | None:
        """Show the newest joined node by itself."""
        if not self.joined:
            return None
        node = self.joined[-1]
        freed = self._line_tokens if len(self.joined) == 1 else 0
        for level in (3, 2, 1):
            way = self._way((ShownNode(node, level),))
            if way and way.tokens - freed <= room:
                cost = way.tokens - freed
                return _Move(way.shown, cost, (1.0 - _JOINED_WORTH) * way.worth / max(1, cost))
        return None

    def _offer(self, heap: list[tuple[float, int, int, tuple[int, int]]], one: ShownNode, room: int) -> None:
        if move := self._best_move(one, room):
            key = (one.node.height, one.node.idx)
            heappush(heap, (-move.ratio, -one.node.first_seq, one.node.height, key))

    def _offer_split(self, heap: list[tuple[float, int, int, tuple[int, int]]], room: int) -> None:
        if move := self._split(room):
            node = self.joined[-1]
            heappush(heap, (-move.ratio, -node.first_seq, node.height, (node.height, node.idx)))

    def _apply(self, move: _Move, replaced: ShownNode | None) -> None:
        if replaced is None:
            self.joined.pop()
        else:
            del self._shown[replaced.node.height, replaced.node.idx]
        for one in move.shown:
            self._shown[one.node.height, one.node.idx] = one
        self.tokens += move.cost

    def _coarsen(self, one: ShownNode, level: int) -> None:
        price = self._price_of(one.node, level)
        if one.level < level and price is not None and price < self._price(one):
            self.tokens += price - self._price(one)
            self._shown[one.node.height, one.node.idx] = ShownNode(one.node, level)


def joined_tokens(material: Material, pricing: Pricing) -> int:
    """At most what a range line costs, without tags; 0 when nothing is folded."""
    last_seq = material.closed_seq
    return pricing.count(range_line(1, last_seq, marker=turns_marker(1, last_seq, level=_COARSEST))) if last_seq else 0


def _relevance(material: Material) -> Mapping[tuple[int, int], float]:
    """How well each node answers the query, 0 to 1, by the best excerpt inside it."""
    found: dict[tuple[int, int], float] = {}
    best = max((excerpt.score for excerpt in material.snapshot.excerpts), default=0.0)
    if best <= 0.0:
        return found
    heights = {height for height, _ in material.nodes}
    for excerpt in material.snapshot.excerpts:
        for height in heights:
            key = (height, excerpt.node_idx // FAN_OUT**height)
            found[key] = max(found.get(key, 0.0), excerpt.score / best)
    return found
