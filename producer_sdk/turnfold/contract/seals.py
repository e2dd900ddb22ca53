"""Seals: words that only an installation can have written.

A seal is derived from a secret of the installation, so nobody who takes part in a conversation can know it. Where it
stands in a conversation all the same, because a model repeated it, another one is taken, which nobody has seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from turnfold.contract.keys import Address

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_LENGTH: Final = 8
"""26^8, some 37 bits; letters alone, so that a counter takes every seal for a word of the same length."""
NO_SECRET: Final = ""
"""Of conversations that only this process knows: seals that are the same in each run."""


@dataclass(frozen=True, slots=True)
class Seals:
    """All seals of a conversation, in the order in which they are taken: none tells what another is."""

    secret: str
    address: Address

    def numbered(self, number: int) -> str:
        """The seal with a number, from 0."""
        tenant, conversation = self.address.tenant, self.address.conversation
        text = f"{number} {len(tenant)} {tenant} {conversation}".encode()
        drawn = int.from_bytes(blake2b(text, key=self.secret.encode(), digest_size=16).digest())
        letters = []
        for _ in range(_LENGTH):
            drawn, letter = divmod(drawn, len(_LETTERS))
            letters.append(_LETTERS[letter])
        return "".join(letters)
