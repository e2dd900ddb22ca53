"""The cut by age: the newest segments at the level of their band, everything older as tags."""

from __future__ import annotations

from turnfold.assemble.by_age.cut import Cut
from turnfold.assemble.material import Material, coarsest
from turnfold.assemble.plan import ShownNode
from turnfold.assemble.pricing import Pricing

_OLDEST_LEVEL = 3


def age_cut(material: Material, pricing: Pricing, *, left: int, room: int, tags_tokens: int) -> Cut:
    """Segments in bands, each within its share of `left` tokens, the whole within `room` tokens.

    What a band cannot pay for is shown at level 3; segments older than all bands join the coarsest cover.
    """
    oldest = max((band.within_turns for band in material.request.policy.bands), default=0)
    recent = [
        node for (height, _), node in sorted(material.nodes.items())
        if height == 0 and material.last_seq - oldest < node.last_seq <= material.closed_seq
    ]  # fmt: skip
    before = recent[0].first_seq - 1 if recent else material.closed_seq
    joined = coarsest(material.snapshot.nodes, last_seq=before)
    if (joined[-1].last_seq if joined else 0) != before:
        recent, joined = [], material.roots
    spent = dict.fromkeys(material.request.policy.bands, 0)
    shown: list[ShownNode] = []
    for node in reversed(recent):
        age = material.last_seq - node.last_seq
        band = next(band for band in spent if age < band.within_turns)
        price = pricing.node(node, band.level)
        pays = price is not None and spent[band] + price <= band.share * left
        if pays and price is not None:
            spent[band] += price
        shown.append(ShownNode(node, band.level if pays else _OLDEST_LEVEL))
    cut = Cut(material, pricing, joined=joined, shown=shown, tags_tokens=tags_tokens)
    cut.shrink(room)
    cut.split_joined(room - cut.tokens)
    return cut
