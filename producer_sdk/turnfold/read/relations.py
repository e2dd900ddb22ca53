"""Relations: structured facts that segments state, such as `Ana's sister is Zoe`, and query expansion by them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role
from turnfold.contract.results import Relation
from turnfold.contract.terms import terms
from turnfold.contract.text import ends_of
from turnfold.errors import InvalidInput
from turnfold.read.snapshot import known_head
from turnfold.search.relevance import QUERY_TERMS
from turnfold.wire.whole_numbers import whole_number

if TYPE_CHECKING:
    from turnfold.contract.keys import Address
    from turnfold.database.read_source import PendingSource, ReadSource
    from turnfold.database.read_transaction import ReadTransaction

MOST_RELATIONS: Final = 100
_TIE: Final = lazy_pattern(r"^(?P<whose>[^:]{1,60})'s (?P<tie>[^:]{1,60}) (?:is|was) (?P<name>[^:]{1,60})$")
_WORK: Final = lazy_pattern(r" (?:is|was) [a-z]{2,20} by | (?:owns|leads|manages|maintains) ")
"""Facts about authorship or responsibility, such as `… was written by` or `… owns`."""
_NAME: Final = lazy_pattern(r"\b[^\W\d_a-z][\w-]{0,40}")
_SHARED: Final = 2
"""Fewest terms that a query shares with a relation about work to be about it."""


def relations(
    inbox: PendingSource, reader: ReadSource, address: Address, *, about: str | None, limit: int
) -> list[Relation]:
    """Read the relations that segments state, in order. Raises `UnknownConversation`, `InvalidInput`."""
    most_relations = whole_number("limit", limit, least=1)
    if about is not None and not about.strip():
        raise InvalidInput("about must not be empty", remedy="give a name, or None for all relations")
    pending, about_what = inbox.peek(address, newest=0), about and ends_of(about)

    def look(transaction: ReadTransaction) -> list[Relation]:
        head = known_head(transaction, address, pending)
        every = [] if head is None else transaction.relations(head)
        return (every if about_what is None else relations_about(about_what, every))[:most_relations]

    return reader.read(look)


def relations_about(about: str, every: Sequence[Relation]) -> list[Relation]:
    """Return the relations that contain all terms of `about`, then those that contain a name from the former."""
    wanted = set(terms(about))
    near = [relation for relation in every if wanted and wanted <= set(terms(relation.text))]
    names = {name for relation in near for name in _names(relation.text)} - wanted
    return [
        *near,
        *(relation for relation in every if relation not in near and not names.isdisjoint(terms(relation.text))),
    ]


def with_linked_names(query: Sequence[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Expand a query's terms with the names that relations give the people it mentions: Zoe for "Ana's sister".

    A speaker without a name is `user` in relations; for them the kind of tie ("sister") is enough.
    """
    if not query:
        return ()
    query_terms = set(query)
    linked = [name for text in texts if _is_meant(text, query_terms) for name in _names(text)]
    return tuple(dict.fromkeys([*query, *linked]))[:QUERY_TERMS]


def _is_meant(text: str, query_terms: set[str]) -> bool:
    match = _TIE.match(text)
    if match is None:
        return _WORK.search(text) is not None and len(query_terms.intersection(terms(text))) >= _SHARED
    tie, whose = terms(match["tie"])[-1:], match["whose"]
    return (
        query_terms.issuperset(tie) and bool(tie) and (whose == Role.USER or not query_terms.isdisjoint(terms(whose)))
    )


def _names(text: str) -> list[str]:
    """Return the terms of the names in a relation."""
    return [term for match in _NAME.finditer(text) for term in terms(match[0])]
