"""Keys in SQL: create, list, revoke, and look up by id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from turnfold import InvalidInput, Settings
from turnfold.contract.keys import checked_id
from turnfold.contract.tables import ApiKeyRow, table
from turnfold.database.engines import database
from turnfold.database.failures import translated
from turnfold_gateway.keys.secrets import SCOPES, Scope, Token, new_token

if TYPE_CHECKING:
    from sqlalchemy import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKey:
    """A row of `api_key`."""

    id: str
    tenant: str
    name: str
    scopes: frozenset[Scope]
    secret_hash: bytes
    requests_per_minute: int | None
    created_at: datetime
    revoked_at: datetime | None


class KeyStore:
    """Reads and writes keys. Blocking: call it in a thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def engine(self) -> Engine:
        """Engine for writing."""
        return database(self._settings, write=True)

    @cached_property
    def reading(self) -> Engine:
        """Engine for reading."""
        return database(self._settings, write=False)

    def create(self, tenant: str, name: str, scopes: Iterable[str], *, requests_per_minute: int | None = None) -> Token:
        """Create a key; only the returned token contains its secret. Raises `InvalidInput`, `Unavailable`."""
        token = new_token()
        row = {
            "id": token.key_id,
            "tenant": checked_id("tenant", tenant),
            "name": checked_id("name", name),
            "scopes": ",".join(checked_scopes(scopes)),
            "secret_hash": token.secret_hash,
            "requests_per_minute": requests_per_minute,
        }
        with translated(), self.engine.begin() as connection:
            connection.execute(table(ApiKeyRow).insert(), row)
        return token

    def find(self, key_id: str) -> StoredKey | None:
        """Return the key with an id, even if it is revoked. Raises `Unavailable`, `SchemaMismatch`."""
        keys = self._select(id=key_id)
        return keys[0] if keys else None

    def keys(self, tenant: str | None = None) -> list[StoredKey]:
        """Return the keys of a tenant, or of all, in the order of creation."""
        return self._select() if tenant is None else self._select(tenant=tenant)

    def revoke(self, key_id: str) -> bool:
        """Revoke a key; return False if there is none with this id."""
        keys = table(ApiKeyRow)
        ended = keys.update().where(keys.c.id == key_id, keys.c.revoked_at.is_(None)).values(revoked_at=_now())
        with translated(), self.engine.begin() as connection:
            if connection.execute(ended).rowcount:
                return True
            return connection.execute(keys.select().where(keys.c.id == key_id)).first() is not None

    def close(self) -> None:
        for name in ("engine", "reading"):
            if (engine := self.__dict__.pop(name, None)) is not None:
                engine.dispose()

    def _select(self, **columns: str) -> list[StoredKey]:
        statement = table(ApiKeyRow).select().filter_by(**columns).order_by("created_at", "id")
        with translated(), self.reading.begin() as connection:
            return [_stored(row) for row in connection.execute(statement).mappings()]


def checked_scopes(scopes: Iterable[str]) -> list[Scope]:
    """Return the scopes in order without duplicates. Raises `InvalidInput` for none, or an unknown one."""
    wanted = set(scopes)
    if not wanted or not wanted <= set(SCOPES):
        msg = f"a key needs one or more of the scopes {', '.join(SCOPES)}, not {', '.join(sorted(wanted)) or 'none'}"
        raise InvalidInput(msg)
    return [scope for scope in SCOPES if scope in wanted]


def _stored(row: Any) -> StoredKey:
    return StoredKey(**{**row, "scopes": frozenset(row["scopes"].split(","))})


def _now() -> datetime:
    return datetime.now(UTC)
