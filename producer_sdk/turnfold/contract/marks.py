"""Stored marks: workers write them to Redis, and readers compare them with the state of a replica."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from turnfold.contract.results import Head

ERASED: Final = 2**53
"""The revision of an erased conversation, above any other: only a conversation with a higher id may be shown."""


class StoredMark(NamedTuple):
    """A state of a conversation that a reader must not fall behind. A later state is a greater mark."""

    conversation: int
    revision: int

    @property
    def text(self) -> str:
        """Serialize the mark for Redis, as two integers.

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
        """Whether a committed state is the marked one or a later one; None is a state without the conversation."""
        if head is None:
            return self.revision == ERASED
        return (head.id, head.revision) >= (self.conversation, self.revision)


def mark_of(head: Head) -> StoredMark:
    """Return the mark of the state in a conversation's row."""
    return StoredMark(head.id, head.revision)
