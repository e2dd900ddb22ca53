"""A key as it is shown once, `tfk_<id>_<secret>`, and the hash of it that is stored."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, get_args

Scope = Literal["append", "read", "admin"]
"""`append` adds turns; `read` reads; `admin` may do both, changes and erases."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

_TOKEN: Final = re.compile(r"tfk_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True, repr=False)
class Token:
    """Both parts of a key."""

    key_id: str
    secret: str

    def __str__(self) -> str:
        return f"tfk_{self.key_id}_{self.secret}"

    @property
    def secret_hash(self) -> bytes:
        """SHA-256. A slow hash protects what can be guessed; 256 random bits cannot, and each request would pay."""
        return sha256(self.secret.encode()).digest()

    @property
    def digest(self) -> bytes:
        """SHA-256 of all of it: stands for a token that must not be kept."""
        return sha256(str(self).encode()).digest()


def new_token() -> Token:
    """A token of 256 random bits."""
    return Token(secrets.token_hex(6), secrets.token_urlsafe(32))


def parse_token(text: str) -> Token | None:
    """The parts of a token; None for anything else."""
    match = _TOKEN.fullmatch(text)
    return None if match is None else Token(match[1], match[2])
