"""Share compiled statements: each test opens new engines, which would compile all of them again."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Dialect, Engine, event
from sqlalchemy.util import LRUCache

from turnfold.database import engines

_STATEMENTS: LRUCache[Any, Any] = LRUCache(4_000)
"""Compiled statements by dialect."""
_DIALECTS: dict[str, Dialect] = {}
"""By driver, the dialect of the first engine that connected: from then on, it knows its server."""


def share_statements() -> None:
    """From now on, share dialects and compiled statements among the engines of this process."""
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
