"""Eight nodes as a chapter, from their rules levels and facts alone: never from an older self of the chapter."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from turnfold.contract.records import Method, Node
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.facts import merge_facts, rank_entries
from turnfold_worker.pipeline.fold import FoldedNode, first_that_fits
from turnfold_worker.pipeline.summarize import most_that_fit
from turnfold_worker.pipeline.tags import FALLBACK, MAX_TAG_TOKENS, slug, tag_line, tags_of
from turnfold_worker.pipeline.units import Unit, about_tokens, choose
from turnfold_worker.pipeline.words import telling_words

MAX_DETAILED: Final = 1_200
"""Estimated tokens of a chapter's level 1 at most."""
MAX_BRIEF: Final = 400
"""Estimated tokens of a chapter's level 2 at most."""
_HASH_BYTES: Final = 16
_TAGS_A_CHILD: Final = 4
_TOP_FACTS: Final = 6
_ENTRIES: Final = 24
_FACTS: Final = "facts: "


def roll_up(children: Sequence[FoldedNode], *, height: int, idx: int) -> FoldedNode:
    """The chapter of eight neighbouring nodes, in order. Its anchors and postings are those of its segments."""
    facts = _facts(children)
    found = _topics(children)
    source = _source_tokens(children)
    union = sum(child.node.tokens[2] for child in children)
    detailed = _detailed(children, min(MAX_DETAILED, max(union * 2 // 3, 1), source))
    brief = _brief(children, facts, found)
    if estimate_tokens(brief) > estimate_tokens(detailed):
        brief = detailed
    levels = {1: detailed, 2: brief, 3: tag_line(found, facts, min(MAX_TAG_TOKENS, estimate_tokens(brief)))}
    return _chapter(
        children, height=height, idx=idx, method=Method.RULES, slug_text=slug(facts, found), levels=levels, facts=facts
    )


def plain_roll_up(children: Sequence[FoldedNode], *, height: int, idx: int) -> FoldedNode:
    """The chapter without rules: a count. Total, for the same reason as `plain_fold`."""
    source = _source_tokens(children)
    text = first_that_fits((f"segments without summary, about {source} tokens\n",), source)
    return _chapter(
        children, height=height, idx=idx, method=Method.PLAIN, slug_text=FALLBACK,
        levels={1: text, 2: text, 3: f"{FALLBACK}\n"}, facts=merge_facts([]),
    )  # fmt: skip


def _source_tokens(children: Sequence[FoldedNode]) -> int:
    return sum(child.node.tokens[0] for child in children)


def _chapter(
    children: Sequence[FoldedNode],
    *,
    height: int,
    idx: int,
    method: Method,
    slug_text: str,
    levels: dict[int, str],
    facts: dict[str, list[str]],
) -> FoldedNode:
    node = Node(
        height=height,
        idx=idx,
        first_seq=children[0].node.first_seq,
        last_seq=children[-1].node.last_seq,
        slug=slug_text,
        tokens=(_source_tokens(children), *(estimate_tokens(levels[level]) for level in (1, 2, 3))),  # type: ignore[arg-type] # four of them
        importance=_importance(children),
        started_at=next((one.node.started_at for one in children if one.node.started_at), None),
        ended_at=next((one.node.ended_at for one in reversed(children) if one.node.ended_at), None),
    )
    digest = hashlib.blake2b(b"".join(child.source_hash for child in children), digest_size=_HASH_BYTES)
    return FoldedNode(node=node, method=method, levels=levels, facts=facts, source_hash=digest.digest())


def _importance(children: Sequence[FoldedNode]) -> int:
    """Between the mean and the highest of the children."""
    scores = [child.node.importance for child in children]
    return (sum(scores) // len(scores) + max(scores)) // 2


def _facts(children: Sequence[FoldedNode]) -> dict[str, list[str]]:
    """The heaviest facts of the children; an entry weighs more the higher it stands in more of them."""
    return rank_entries(
        (str(kind), str(text), _ENTRIES - min(place, _ENTRIES - 1))
        for child in children
        for kind, entries in child.facts.items()
        if isinstance(entries, list)
        for place, text in enumerate(entries)
    )


def _topics(children: Sequence[FoldedNode]) -> list[str]:
    """Tags of the children: those in more children first, then those that stand higher, then by first mention."""
    totals: dict[str, int] = {}
    for child in children:
        for place, tag in enumerate(tags_of(child.levels[3]).get("tags", ())):
            totals[tag] = totals.get(tag, 0) + 10 - min(place, 9)
    order = {tag: i for i, tag in enumerate(totals)}
    return sorted(totals, key=lambda tag: (-totals[tag], order[tag]))


def _detailed(children: Sequence[FoldedNode], budget: int) -> str:
    """The best statements of the children's level 2, in order, under their date lines and speakers."""
    statements = list(_statements(children))
    units = [Unit(i, text, about_tokens(text), telling_words(text), 1.0) for i, (_, _, text) in enumerate(statements)]
    ranked = choose(units, budget)

    def shown(count: int) -> str:
        return _lines([statements[i] for i in sorted(ranked[:count])])

    count = most_that_fit(len(ranked), lambda size: estimate_tokens(shown(size)) <= budget)
    if count:
        return shown(count)
    shortest = min((child.levels[3] for child in children), key=estimate_tokens)
    return shortest if estimate_tokens(shortest) <= budget else f"{FALLBACK}\n"


def _statements(children: Sequence[FoldedNode]) -> Iterator[tuple[str, str, str]]:
    """Date line, speaker and text of each statement of the children's level 2."""
    for child in children:
        day = ""
        for line in child.levels[2].splitlines():
            if line.startswith("["):
                day = line
                continue
            speaker, colon, said = line.partition(": ")
            for text in (said if colon else line).split("; "):
                if text.strip() and not text.startswith(_FACTS):
                    yield day, speaker if colon else "", text.strip()


def _lines(statements: Sequence[tuple[str, str, str]]) -> str:
    lines: list[str] = []
    shown: tuple[str, str] | None = None
    for day, speaker, text in statements:
        if day and (shown is None or day != shown[0]):
            lines.append(day)
            shown = None
        if shown is not None and speaker == shown[1] and speaker:
            lines[-1] = f"{lines[-1]}; {text}"
        else:
            lines.append(f"{speaker}: {text}" if speaker else text)
        shown = (day, speaker)
    return "\n".join(lines) + "\n"


def _brief(children: Sequence[FoldedNode], facts: dict[str, list[str]], found: Sequence[str]) -> str:
    """A line a child (slug and tags), then the chapter's exact facts."""
    lines = []
    for child in children:
        tags = tags_of(child.levels[3])
        shown = [*tags.get("tags", ())[:_TAGS_A_CHILD], *tags.get("names", ())[:2], *tags.get("dates", ())[:1]]
        if shown:
            lines.append(", ".join(shown))
    exact = [*facts["numbers"][:_TOP_FACTS], *facts["dates"][:_TOP_FACTS]]
    text = "about: " + "; ".join(lines or found[:_TAGS_A_CHILD] or [FALLBACK])
    text += f"; {_FACTS}{', '.join(exact)}" if exact else ""
    count = most_that_fit(len(text), lambda size: estimate_tokens(text[:size]) < MAX_BRIEF)
    return text[:count].rstrip() + "\n"
