"""Find traces of a text anywhere in SQL or Redis, and keys that work left behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import redis
from sqlalchemy import Engine, inspect

from turnfold.contract import keys


def traces(engine: Engine, client: redis.Redis, *needles: str) -> list[str]:
    """Return the tables and keys whose rows, names or values contain one of `needles`."""
    return [*_tables_with(engine, needles), *_keys_with(client, needles)]


def _tables_with(engine: Engine, needles: Sequence[str]) -> list[str]:
    found: list[str] = []
    with engine.begin() as connection:
        for table in inspect(connection).get_table_names():
            rows = connection.exec_driver_sql(f'SELECT * FROM "{table}"')
            found += [f"table {table}" for row in rows if any(_holds(value, needles) for value in row)]
    return found


def _holds(value: object, needles: Sequence[str]) -> bool:
    if isinstance(value, bytes):
        return any(needle.encode() in value for needle in needles)
    shown = str(value)
    return any(needle in shown for needle in needles)


def _keys_with(client: redis.Redis, needles: Sequence[str]) -> list[str]:
    return [
        f"key {name}"
        for name in client.scan_iter("*", count=1_000)
        if _holds(name, needles) or _holds(str(_value(client, name)), needles)
    ]


def _value(client: redis.Redis, name: str) -> Any:
    match client.type(name):
        case "string":
            return client.get(name)
        case "list":
            return client.lrange(name, 0, -1)
        case "set":
            return client.smembers(name)
        case "zset":
            return client.zrange(name, 0, -1, withscores=True)
        case "hash":
            return client.hgetall(name)
        case "stream":
            return client.xrange(name)
        case kind if kind != "none":  # a key may expire between SCAN and TYPE
            message = f"a key of type {kind}: {name}"
            raise AssertionError(message)


def permanent_keys(client: redis.Redis) -> list[str]:
    """Return Turnfold's keys without a lifetime, except the layout's: empty when no work is left."""
    found = [name.decode() if isinstance(name, bytes) else name for name in client.scan_iter("tf:*", count=1_000)]
    return [name for name in found if client.ttl(name) == -1 and name not in {keys.LAYOUT, keys.SERVER}]
