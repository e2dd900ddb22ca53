"""Keep a key in a file, for programs on the same machine."""

from __future__ import annotations

import os
from contextlib import suppress
from hmac import compare_digest
from pathlib import Path
from typing import Final

from turnfold_gateway.keys.secrets import SCOPES, parse_token
from turnfold_gateway.keys.store import KeyStore

NAME: Final = "key file"


def keep_key(store: KeyStore, file: Path, tenant: str) -> None:
    """Make the file contain a key with all scopes of a tenant: the present one if it is still valid, else a new one.

    Only this user may read the file. Raises `OSError`, `Unavailable`.
    """
    if not _opens(store, file, tenant):
        token = store.create(tenant, NAME, SCOPES)
        partial = file.with_name(f"{file.name}.partial")
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as opened:
            opened.write(f"{token}\n")
        partial.replace(file)


def _opens(store: KeyStore, file: Path, tenant: str) -> bool:
    text = ""
    with suppress(FileNotFoundError):
        text = file.read_text(encoding="utf-8")
    token = parse_token(text.strip())
    key = None if token is None else store.find(token.key_id)
    return (
        token is not None and key is not None and compare_digest(token.secret_hash, key.secret_hash)
        and key.revoked_at is None and key.tenant == tenant and key.scopes == set(SCOPES)
    )  # fmt: skip
