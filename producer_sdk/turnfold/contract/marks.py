"""How far a conversation is stored: what workers write into Redis, and readers compare a replica with."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from turnfold.contract.results import Head

ERASED: Final = 2**53
"""In the place of a revision, above any: the rows are gone, and only a conversation with a higher id may be shown."""


class StoredMark(NamedTuple):
    """A state of a conversation that a reader must not fall behind. A later state is a greater mark."""

    conversation: int
    revision: int

    @property
    def text(self) -> str:
        """As it stands in Redis: two whole numbers.

        >>> StoredMark(12, 7).text
        '12:7'
        """
        return f"{self.conversation}:{self.revision}"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The inverse of `text`."""
        conversation, _, revision = text.partition(":")
        return cls(int(conversation), int(revision))

    def is_reached_by(self, head: Head | None) -> bool:
        """Whether a committed state, None for one without the conversation, is the marked one or a later one."""
        if head is None:
            return self.revision == ERASED
        return (head.id, head.revision) >= (self.conversation, self.revision)


def mark_of(head: Head) -> StoredMark:
    """The state that a conversation's row is."""
    return StoredMark(head.id, head.revision)
