"""The tags of a range line: the best of the tags of the nodes that it joins, taken in turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from turnfold.assemble.forms.render_text import one_line
from turnfold.contract.records import LevelKey, Node

TAGS_LEVEL = 3
"""The level that holds a node's tags."""

_PARTS = frozenset({"tags", "names", "dates", "paths", "code", "says"})
"""Names of the parts of a node's tags, which say nothing in a line of many nodes."""
_MOST = 48
"""Tags that are looked at for one line."""


def tag_sources(joined: Sequence[Node], *, most_tokens: int) -> tuple[Node, ...]:
    """The joined nodes whose tags are worth fetching: those that hold most, within `most_tokens` of tags."""
    chosen = []
    for node in sorted(joined, key=lambda node: (-node.tokens[0], -node.first_seq)):
        most_tokens -= node.tokens[TAGS_LEVEL]
        if most_tokens < 0:
            break
        chosen.append(node)
    return tuple(sorted(chosen, key=lambda node: node.first_seq))


def best_tags(joined: Iterable[Node], texts: Mapping[LevelKey, str]) -> tuple[str, ...]:
    """Tags of the nodes whose texts are at hand: the first of each node, then the second of each, no tag twice."""
    lists = [
        _tags(texts[node.height, node.idx, TAGS_LEVEL])
        for node in joined
        if (node.height, node.idx, TAGS_LEVEL) in texts
    ]
    found = (tag for row in zip_longest(*lists) for tag in row if tag)
    return tuple(dict.fromkeys(found))[:_MOST]


def _tags(text: str) -> list[str]:
    flat = one_line(text).replace("[", " ").replace("]", " ").replace("\N{RIGHTWARDS ARROW}", " ")
    pieces: list[str] = []
    for part in flat.split(";"):
        name, colon, named = part.strip().partition(": ")
        pieces += (named if colon and name in _PARTS else part).split(",")
    return [tag for piece in pieces if (tag := piece.strip(" .;,"))]
