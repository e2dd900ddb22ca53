"""A key as shown once, `tfk_<id>_<secret>`, and the hash of it that is stored."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, get_args

Scope = Literal["append", "read", "admin"]
"""`append` adds turns; `read` reads; `admin` includes both, and may also change and erase."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

_TOKEN: Final = re.compile(r"tfk_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True, repr=False)
class Token:
    """The id and the secret of a key."""

    key_id: str
    secret: str

    def __str__(self) -> str:
        return f"tfk_{self.key_id}_{self.secret}"

    @property
    def secret_hash(self) -> bytes:
        """SHA-256 of the secret. Its 256 random bits cannot be guessed, so a slow hash would only slow each request."""
        return sha256(self.secret.encode()).digest()

    @property
    def digest(self) -> bytes:
        """SHA-256 of the whole token: identifies a token that must not be stored."""
        return sha256(str(self).encode()).digest()


def new_token() -> Token:
    """Return a new token with 256 random bits."""
    return Token(secrets.token_hex(6), secrets.token_urlsafe(32))


def parse_token(text: str) -> Token | None:
    """Return the parts of a token; None for anything else."""
    match = _TOKEN.fullmatch(text)
    return None if match is None else Token(match[1], match[2])
