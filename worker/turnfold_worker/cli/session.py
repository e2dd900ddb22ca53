"""The settings of a command, from options, variables or a running `turnfold up`, and the connections made from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnfold.contract.keys import Address, checked_id
from turnfold.errors import InvalidSettings, Unavailable, UnknownConversation
from turnfold_worker.local.state import default_state_folder, running_settings, sqlite_file
from turnfold_worker.settings import WorkerSettings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from turnfold import Turnfold
    from turnfold.database.reader import Reader
    from turnfold.redis.servers import InboxServers
    from turnfold_worker.ports.storage import Publisher


_FROM_RUNNING = (
    "redis_url", "database_url", "broker_url", "refine", "extract_model", "summarize_model", "semantic",
    "embedding_model",
)  # fmt: skip
"""Settings of a running `turnfold up` that commands have to share."""


@dataclass(kw_only=True)
class Session:
    """Opens each client or connection on first use, and closes all of them when the command ends."""

    redis_url: str | None = None
    database_url: str | None = None
    tenant: str | None = None
    cell: str | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    _closing: list[Callable[[], object]] = field(default_factory=list)

    @cached_property
    def settings(self) -> WorkerSettings:
        """Options override variables; a running `turnfold up` is used unless they name other servers.

        Raises `InvalidSettings`.
        """
        # The variable's replica is not one of the option's database.
        ignored = () if self.database_url is None else ("TURNFOLD_READ_DATABASE_URL",)
        variables = {name: value for name, value in self._variables.items() if name not in ignored}
        settings = WorkerSettings.from_env(variables)
        if settings.cells:
            return self._in_cell(settings)
        given: dict[str, Any] = {
            name: option
            for name in ("redis_url", "database_url", "tenant")
            if (option := getattr(self, name)) is not None
        }
        named = {
            name: getattr(settings, name) if name not in given else given[name]
            for name in ("redis_url", "database_url")
            if name in given or self.environment.get(f"TURNFOLD_{name.upper()}")
        }
        running = running_settings(self.state_folder)
        # A server that was also given to `turnfold up` matches it; any other means another installation.
        if all(running.get(name) == option for name, option in named.items()):
            given |= {name: running[name] for name in _FROM_RUNNING if name in running and name not in given}
        return replace(settings, **given)

    @property
    def _variables(self) -> Mapping[str, str]:
        return self.environment if self.cell is None else {**self.environment, "TURNFOLD_CELL": self.cell}

    def _in_cell(self, settings: WorkerSettings) -> WorkerSettings:
        """Return the settings of the named cell, else of the tenant's. Raises `InvalidSettings` without either."""
        if self.redis_url is not None or self.database_url is not None:
            msg = "--redis-url and --database-url cannot be used with TURNFOLD_CELLS, which names the servers"
            raise InvalidSettings(msg, remedy="select a cell with --cell, or unset TURNFOLD_CELLS")
        if self.tenant is not None:
            settings = replace(settings, tenant=self.tenant)
        if settings.cell:
            return settings
        if self.tenant is None and not self.environment.get("TURNFOLD_TENANT"):
            settings.check_one_cell()
        return settings.of_tenant(settings.tenant)

    @property
    def settings_of_all_cells(self) -> WorkerSettings:
        """Like `settings`, but for all cells when none is named, for commands that serve several.

        Raises `InvalidSettings`.
        """
        settings = WorkerSettings.from_env(self._variables)
        if not settings.cells or settings.cell or self.redis_url is not None or self.database_url is not None:
            return self.settings
        return settings if self.tenant is None else replace(settings, tenant=self.tenant)

    @property
    def state_folder(self) -> Path:
        """The state folder of `turnfold up`."""
        return default_state_folder(self.environment)

    @cached_property
    def turnfold(self) -> Turnfold:
        """The SDK's client."""
        from turnfold import Turnfold

        client = Turnfold.from_settings(self.settings)
        self._closing.append(client.close)
        return client

    @cached_property
    def engine(self) -> Engine:
        """Engine for reading the database. Raises `Unavailable` for a SQLite file that does not exist."""
        return self._connected(write=False)

    @cached_property
    def write_engine(self) -> Engine:
        """Engine for writing the database. Raises like `engine`."""
        return self._connected(write=True)

    def _connected(self, *, write: bool) -> Engine:
        from turnfold.database.engines import database

        file = sqlite_file(self.settings.database_url)
        if file is not None and not file.exists():
            msg = f"there is no database at {file}"
            raise Unavailable(
                msg, remedy="start `turnfold up`, run `turnfold migrate`, or correct TURNFOLD_DATABASE_URL"
            )
        engine = database(self.settings, write=write)
        self._closing.append(engine.dispose)
        return engine

    @cached_property
    def reader(self) -> Reader:
        """Reader of the database as records."""
        from turnfold.database.reader import Reader

        return Reader(self.engine)

    @cached_property
    def redis(self) -> InboxServers:
        """The Redis servers of the inboxes."""
        from turnfold.redis.servers import InboxServers

        servers = InboxServers.of(self.settings, self.reader.layout)
        self._closing.append(servers.close)
        return servers

    @cached_property
    def publisher(self) -> Publisher:
        """Publisher of messages to workers. A message that Redis refuses is dropped; the sweep sends it again."""
        from turnfold_worker.adapters.redis.bell import RedisPublisher

        return RedisPublisher(self.redis)

    def vector_of(self, query: str | None) -> Sequence[int] | None:
        """Return a query's sentence vector; None where `semantic` is off.

        Raises `InvalidSettings`, `ModelAway`.
        """
        if not query or not self.settings.semantic:
            return None
        from turnfold.contract.vectors import numbers_of
        from turnfold_worker.wiring import sentence_embedder

        embedder = sentence_embedder(self.settings)
        return (numbers_of(embedder.embed([query])[0]) or None) if embedder else None

    def address(self, conversation_id: str) -> Address:
        """Return the address of a conversation of the session's tenant."""
        return Address(self.settings.tenant, checked_id("conversation id", conversation_id))

    def standing_address(self, conversation_id: str) -> Address:
        """Like `address`, for commands that read only SQL. Raises `UnknownConversation` for a forgotten one."""
        from turnfold.redis.inbox import ProducerInbox

        address = self.address(conversation_id)
        try:
            forgotten = ProducerInbox(self.redis).peek(address, newest=0).forgotten
        except Unavailable:
            click.echo("Redis does not answer: cannot tell whether this conversation was forgotten", err=True)
            return address
        if forgotten:
            msg = f"conversation {conversation_id!r} was forgotten: a worker deletes its rows"
            raise UnknownConversation(msg, remedy="nothing of it can be read")
        return address

    def nothing_appended(self, conversation_id: str) -> UnknownConversation:
        """Return the error for a conversation that does not exist."""
        return UnknownConversation(
            f"nothing was ever appended to conversation {conversation_id!r} of tenant {self.settings.tenant!r}",
            remedy="is the name right? `turnfold import FILE` creates a conversation named after the file",
        )

    def close(self) -> None:
        while self._closing:
            self._closing.pop()()


pass_session = click.make_pass_decorator(Session)
