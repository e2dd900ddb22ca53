"""Questions about the order in which things came up, and the passages that answer them: spread over all of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.notes import Note, in_order
from turnfold.contract.passages import PLACES, ROLE, ROLE_SHIFT, ROLES, unpack_pointers
from turnfold.contract.records import Role
from turnfold.contract.words import note_stems

_ORDER: Final = lazy_pattern(
    r"(?i)\b(?:(?:in (?:what|which)|the) (?:chronological )?(?:order|sequence)\b|chronolog\w+|timeline\b"
    r"|in (?:the )?order\b(?! to\b)|from first to last"
    r"|(?:what|which|who)\b[^.?!]{0,60}\b(?:came|come|happened?|was|were)\b[^.?!]{0,40} (?:first|earlier)\b(?! \w)"
    r"|how (?:did|has|have)\b[^.?!]{0,80}\b(?:evolve|progress|develop|change)d? (?:over|through|across|during))"
)
_OWN: Final = lazy_pattern(
    r"(?i)\b(?:I|we) (?:\w+ )?(?:brought|mention|discuss|talk|ask|raise|bring|start|said|say|told)\w*"
)
_STRETCHES: Final = 32
"""Parts of equal length into which a conversation falls: each has its own best answers."""
_LEAST_OWN: Final = 3
_MOST_OF_IT: Final = 0.7
"""Of the stems of a mention, those that an earlier one holds that says the same."""
_LEVELLED: Final = 0.7
"""How much of the way the best of each part is brought up to the best of all."""


class Order(NamedTuple):
    """What a question about an order asks for."""

    own: bool
    """Whether it asks what the user said, not what was said."""


def asked_order(question: str) -> Order | None:
    """What a question asks of an order; None for any other question.

    >>> asked_order("In what order did I bring up the rent and the boat?")
    Order(own=True)
    >>> asked_order("Which was built first, the shed or the pond?"), asked_order("We order bread; what else?")
    (Order(own=False), None)
    """
    return Order(own=_OWN.search(question) is not None) if _ORDER.search(question) else None


def spread(
    scores: Mapping[int, int], order: Order, postings: Iterable[tuple[str, int, int, bytes]], *, last_seq: int
) -> dict[int, int]:
    """Scores of passages where those that answer best in each stretch of a conversation come first.

    Of what the user brought up only passages of users count, if there are some.
    """
    own = _of_users(postings) if order.own else frozenset()
    kept = {number: score for number, score in scores.items() if number in own}
    kept = kept if len(kept) >= _LEAST_OWN else dict(scores)
    length = last_seq // _STRETCHES + 1
    best: dict[int, int] = {}
    for number, score in kept.items():
        stretch = number // PLACES // length
        best[stretch] = max(best.get(stretch, 0), score)
    most = max(best.values(), default=0)
    raised = {
        stretch: 1.0 + _LEVELLED * (most / of_stretch - 1.0) for stretch, of_stretch in best.items() if of_stretch
    }
    return {number: round(score * raised.get(number // PLACES // length, 1.0)) for number, score in kept.items()}


def first_mentions(chosen: Iterable[Note], candidates: Iterable[Note]) -> list[Note]:
    """For each note the first candidate that says most of it, none twice, in the order in which they were chosen."""
    earlier = [(note, frozenset(note_stems(note.text))) for note in in_order(candidates)]
    firsts: dict[tuple[int, int], Note] = {}
    for note in chosen:
        stems = frozenset(note_stems(note.text))
        least = _MOST_OF_IT * len(stems)
        first = next((one for one, held in earlier if one[:2] <= note[:2] and len(stems & held) >= least), note)
        firsts.setdefault((first.seq, first.place), first)
    return list(firsts.values())


def _of_users(postings: Iterable[tuple[str, int, int, bytes]]) -> frozenset[int]:
    """Numbers of the passages that a user said, of those that hold terms."""
    pointers = [unpack_pointers(row[3]) for row in postings]
    return frozenset(
        number
        for numbers, marks in pointers
        for number, mark in zip(numbers, marks, strict=True)
        if ROLES[mark >> ROLE_SHIFT & ROLE] == Role.USER
    )
