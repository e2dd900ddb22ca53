"""Seals: secret words that only an installation can have written.

A seal is derived from a secret of the installation, so no participant of a conversation can know it. If a seal occurs
in a conversation, because a model repeated it, the next one is used, which nobody has seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from turnfold.contract.keys import Address

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_LENGTH: Final = 8
"""26^8 is some 37 bits; letters only, so that tokenizers count every seal as a word of the same length."""
NO_SECRET: Final = ""
"""For conversations known to this process only: seals are the same in each run."""


@dataclass(frozen=True, slots=True)
class Seals:
    """The sequence of seals of a conversation, in order of use; no seal reveals another."""

    secret: str
    address: Address

    def numbered(self, number: int) -> str:
        """Return a seal by its number, from 0."""
        tenant, conversation = self.address.tenant, self.address.conversation
        text = f"{number} {len(tenant)} {tenant} {conversation}".encode()
        drawn = int.from_bytes(blake2b(text, key=self.secret.encode(), digest_size=16).digest())
        letters = []
        for _ in range(_LENGTH):
            drawn, letter = divmod(drawn, len(_LETTERS))
            letters.append(_LETTERS[letter])
        return "".join(letters)
