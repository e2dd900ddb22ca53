"""Finds where the topic of a long text changes, and the words that distinguish its topics. Pure.

TextTiling (Hearst 1997): neighbouring windows of text are compared by the words that they share. The topic changes
where two windows share far fewer words than usual for the text, and the larger regions around them share few, too.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.terms import terms
from turnfold_worker.pipeline.language.common_words import WEIGHTS
from turnfold_worker.pipeline.levels.tags import topics

_BLOCK: Final = 480
"""Approximate code points of the blocks that are compared: a paragraph, or some sentences of a long one."""
_WINDOW: Final = 4
"""Number of blocks in the window on either side of a gap."""
_SHARE_OF_USUAL: Final = 0.5
"""Maximum similarity of the windows at a topic change, relative to the text's median."""
_LIKEST: Final = 0.12
"""Maximum similarity of the windows at a topic change, absolute; both bounds apply."""
_LITTLE_OF_USUAL: Final = 0.25
"""Similarity relative to the median that is always low enough, for texts with a repetitive vocabulary."""
_REACH: Final = 8
"""Number of blocks in the larger region on either side of a gap, which must differ, too."""
_PARTS_LIKEST: Final = 0.25
"""Maximum similarity of these regions at a topic change."""
_AROUND: Final = 2_000
"""Code points that are compared on either side of the end of a paragraph or sentence."""
_MOST_EDGES: Final = 16
_TOPICS_OF_A_PART: Final = 3
_TOPICS_FROM: Final = 12_000
"""Code points at the beginning of a part that are searched for topics."""
_AT_ONCE: Final = 3_000
_PARAGRAPH_END: Final = lazy_pattern(r"\n[ \t]*\n\s*")
_SENTENCE_END: Final = lazy_pattern("(?<=[.!?…])\\s+|(?<=[。\uff01\uff1f])")

Words = Mapping[str, int]
"""Terms with their weights."""


def topic_shifts(text: str, *, least: int) -> list[int]:
    """Return the offsets at which a new topic begins, in order, with parts of about `least` code points or more."""
    blocks = _blocks(text)
    if len(blocks) < 2 * _WINDOW:
        return []
    words = [_weighed(text[start:end]) for start, end in blocks]
    likeness = {
        gap: _cosine(_sum(words[max(0, gap - _WINDOW) : gap]), _sum(words[gap : gap + _WINDOW]))
        for gap in range(2, len(blocks) - 1)
    }
    usual = median(likeness.values())
    highest = max(min(_LIKEST, _SHARE_OF_USUAL * usual), _LITTLE_OF_USUAL * usual)
    cuts = [0, len(blocks)]
    for gap in sorted(likeness, key=lambda gap: (likeness[gap], gap)):
        if likeness[gap] > highest:
            break
        at = bisect_left(cuts, gap)
        cut_before, after = cuts[at - 1], cuts[at]
        begin, middle, end = blocks[cut_before][0], blocks[gap][0], blocks[after - 1][1]
        if min(middle - begin, end - middle) < least:
            continue
        # Not beyond the neighbouring cuts: a topic that returns later would raise the similarity.
        around = words[max(cut_before, gap - _REACH) : gap], words[gap : min(after, gap + _REACH)]
        if _cosine(*map(_sum, around)) <= _PARTS_LIKEST:
            cuts.insert(at, gap)
    return [_nearby(text, blocks[cut - 1][0], blocks[cut][0], blocks[cut][1]) for cut in cuts[1:-1]]


def _nearby(text: str, first: int, middle: int, last: int) -> int:
    """Refine a cut to the end of a paragraph, or else of a sentence, at which the text around it differs most.

    Blocks are coarse: the last sentences of a topic may be in the first block of the next.
    """
    for ends in (_PARAGRAPH_END, _SENTENCE_END):
        edges = [match.end() for match in ends.finditer(text, first, last) if first < match.end() < last]
        if edges:
            return min(
                edges[:: -(-len(edges) // _MOST_EDGES)],
                key=lambda edge: (
                    _cosine(_weighed(text[max(0, edge - _AROUND) : edge]), _weighed(text[edge : edge + _AROUND])),
                    abs(edge - middle),
                ),
            )
    return middle


def telling_topics(parts: Sequence[str]) -> list[list[str]]:
    """Return the top topics of each part, by weight, that it mentions more than all other parts together."""
    weighed = [_weighed(part) for part in parts]
    everywhere = _sum(weighed)
    topics_of_parts: list[list[str]] = []
    for part, own in zip(parts, weighed, strict=True):
        read = [(part[at : at + _AT_ONCE], 1) for at in range(0, min(len(part), _TOPICS_FROM), _AT_ONCE)]
        telling = [topic for topic in topics(read) if _share(terms(topic), own, everywhere) > 1 / 2]
        topics_of_parts.append(telling[:_TOPICS_OF_A_PART])
    return topics_of_parts


def _share(held: Sequence[str], own: Words, everywhere: Words) -> float:
    """Return the share of the total weight of some terms that falls on one part."""
    total = sum(everywhere.get(term, 0) for term in held)
    return sum(own.get(term, 0) for term in held) / total if total else 0.0


def _blocks(text: str) -> list[tuple[int, int]]:
    """Split a text into blocks of similar size: short paragraphs are joined, long ones split at sentence ends."""
    edges = [0]
    for paragraph_end in [*(match.end() for match in _PARAGRAPH_END.finditer(text)), len(text)]:
        if paragraph_end - edges[-1] > 2 * _BLOCK:
            for match in _SENTENCE_END.finditer(text, edges[-1], paragraph_end):
                if match.end() - edges[-1] >= _BLOCK and paragraph_end - match.end() >= _BLOCK // 2:
                    edges.append(match.end())
        if paragraph_end - edges[-1] >= _BLOCK:
            edges.append(paragraph_end)
    if edges[-1] < len(text):
        edges = [*(edges[:-1] if len(edges) > 1 else edges), len(text)]
    return list(pairwise(edges))


def _weighed(text: str) -> Words:
    return {term: WEIGHTS[term] * many.bit_length() for term, many in Counter(terms(text)).items()}


def _sum(words: Sequence[Words]) -> Words:
    total: Counter[str] = Counter()
    for block in words:
        total.update(block)
    return total


def _cosine(ours: Words, theirs: Words) -> float:
    shared = sum(weight * theirs[term] for term, weight in ours.items() if term in theirs)
    lengths = sum(weight * weight for weight in ours.values()) * sum(weight * weight for weight in theirs.values())
    return shared / math.sqrt(lengths) if lengths else 0.0
