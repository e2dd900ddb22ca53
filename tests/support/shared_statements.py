"""Statements that are compiled once: each test opens engines of its own, which would compile all of theirs again."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Dialect, Engine, event
from sqlalchemy.util import LRUCache

from turnfold.database import engines

_STATEMENTS: LRUCache[Any, Any] = LRUCache(4_000)
"""By dialect."""
_DIALECTS: dict[str, Dialect] = {}
"""By driver: of the first engine that has connected, from which on a dialect knows its server."""


def share_statements() -> None:
    """From now on, engines of this process share their dialects and what was compiled for them."""
    create = engines.create_engine

    def create_engine(*arguments: Any, **options: Any) -> Engine:
        engine = create(*arguments, **options)
        engine.update_execution_options(compiled_cache=_STATEMENTS)
        if (dialect := _DIALECTS.get(engine.url.drivername)) is not None:
            engine.dialect = dialect
        else:
            event.listen(engine, "engine_connect", lambda connection: _remember(connection.engine))
        return engine

    engines.create_engine = create_engine


def _remember(engine: Engine) -> None:
    _DIALECTS.setdefault(engine.url.drivername, engine.dialect)
