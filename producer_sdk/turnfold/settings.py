"""Settings of the SDK: read once from `TURNFOLD_*` variables, or passed by name."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from turnfold.contract.cells import Cells, parse_cells
from turnfold.contract.keys import checked_id
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.server_urls import is_cluster, named_by, urls_of, without_password
from turnfold.contract.shards import MOST_SHARDS
from turnfold.contract.vectors import DEFAULT_MODEL
from turnfold.errors import InvalidSettings

DEFAULT_REDIS_URL = "redis://127.0.0.1:6379/0"
DEFAULT_DATABASE_URL = "sqlite:///turnfold.db"

MOST: Final = 2**53
"""Upper limit of counts: Redis compares them as floating-point numbers, which are exact up to it."""
_OF_CELLS: Final = (
    "TURNFOLD_REDIS_URL", "TURNFOLD_DATABASE_URL", "TURNFOLD_BROKER_URL", "TURNFOLD_READ_DATABASE_URL",
    "TURNFOLD_DATABASE_POOLER",
)  # fmt: skip
_URL: Final = lazy_pattern(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SOCKET: Final = "unix://"
_IN_MEMORY: Final = lazy_pattern(r"sqlite(\+\w+)?://(/(:memory:)?)?(\?.*)?")


def _shown(name: str, value: object) -> str:
    is_url = isinstance(value, str) and (name.endswith("_url") or "://" in value)
    return repr(without_password(str(value)) if is_url else value)


def _flag(text: str) -> bool:
    lowered = text.strip().lower()
    if lowered in {"1", "true", "yes", "on"}:
        return True
    if lowered in {"0", "false", "no", "off"}:
        return False
    raise ValueError(f"{text!r} is neither on nor off")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Settings:
    """Settings of the client. A field's environment variable is `TURNFOLD_` and its name in capitals."""

    redis_url: str = DEFAULT_REDIS_URL
    """URL of the Redis that holds the inboxes; for several, comma-separated URLs, in the same order everywhere."""
    database_url: str = DEFAULT_DATABASE_URL
    """SQLAlchemy URL of the database that workers write and readers read."""
    database_pooler: bool = False
    """Whether PostgreSQL is behind a transaction-mode pooler, such as PgBouncer."""
    read_database_url: str = ""
    """URL of a read replica, preferred while it is up to date; empty: none. Workers use it too."""
    cells: str = ""
    """Path of a TOML file of cells, each with its Redis, broker and database; empty: the single one named here."""
    cell: str = ""
    """Cell of this process, for every tenant; empty: clients use the cell of each tenant."""
    tenant: str = "default"
    """Tenant of this client; `for_tenant` returns a client for another."""
    shards: int = 0
    """Number of inbox shards, stored by the first `turnfold migrate`; 0: the stored number, 256 at first."""
    broker_url: str = ""
    """URL of Celery's broker; empty: the inboxes' Redis. For workers, and for clients with `celery_doorbell`."""
    doorbell: bool = True
    """Whether to wake a worker after an append. Off: the workers' own timer finds the turns within seconds."""
    celery_doorbell: bool = False
    """Whether to wake workers by a Celery message instead of through Redis: needs `turnfold[celery]`."""
    timeout_seconds: float = 5.0
    """Longest that one call waits for Redis or SQL before `Unavailable`."""
    max_turn_bytes: int = 1_048_576
    """Largest turn, in bytes of its JSON form; at most 16 MiB."""
    max_inbox_turns: int = 10_000
    """Turns of one conversation that may wait for a worker before `InboxFull`."""
    max_inbox_bytes: int = 268_435_456
    """Bytes of a conversation's waiting turns, as JSON, before `InboxFull`: Redis keeps them in memory."""

    tenant_turns_a_day: int = 0
    """Turns that a tenant may append per day (UTC) before `QuotaExceeded`; 0: unlimited."""
    tenant_bytes_a_day: int = 0
    """Bytes of JSON that a tenant may append per day (UTC), edits included; 0: unlimited."""
    tenant_stored_bytes: int = 0
    """Bytes of turns that a tenant may store before `QuotaExceeded`, as workers measure them; 0: unlimited."""
    redactor: str = ""
    """Entry point of `turnfold.redactors` that is called with each text; only what it returns is appended."""

    reads_without_redis: bool = False
    """Whether to read from SQL alone, without turns still in the inbox, while Redis does not answer."""
    reference_seconds: int = 86_400
    """Seconds that a context stays in Redis under its reference."""
    embedding_model: str = DEFAULT_MODEL
    """Name or folder of the embedding model of workers with `TURNFOLD_SEMANTIC`, and of query vectors."""

    def __repr__(self) -> str:
        """Show all fields, with passwords in URLs masked: settings end up in logs and tracebacks."""
        listed = ", ".join(
            f"{field.name}={_shown(field.name, getattr(self, field.name))}" for field in fields(self) if field.repr
        )
        return f"{type(self).__name__}({listed})"

    def __post_init__(self) -> None:
        _check_types(self)
        checked_id("TURNFOLD_TENANT", self.tenant)
        _check_cell(self)
        if _IN_MEMORY.fullmatch(self.database_url):
            msg = "TURNFOLD_DATABASE_URL names an in-memory database, which workers and readers cannot share"
            raise InvalidSettings(msg, remedy="use sqlite:///path, with four slashes for an absolute path")
        if self.database_pooler and self.uses_sqlite:
            msg = "TURNFOLD_DATABASE_POOLER is on, but TURNFOLD_DATABASE_URL names SQLite, which has no pooler"
            raise InvalidSettings(msg, remedy="turn it off")
        _check_servers(self)
        _check_replica(self)
        if self.broker_url and not _URL.match(self.broker_url):
            # The message omits the value, which may be or contain a password.
            msg = "TURNFOLD_BROKER_URL is not a URL"
            raise InvalidSettings(
                msg, remedy="use redis://host:port/0 or amqp://…, or unset it to use the inboxes' Redis"
            )
        if self.celery_doorbell and find_spec("celery") is None:
            msg = "TURNFOLD_CELERY_DOORBELL publishes through Celery, which is not installed"
            raise InvalidSettings(
                msg, remedy="pip install 'turnfold[celery]', or turn it off: workers are then woken through Redis"
            )
        if not 0 < self.timeout_seconds <= 600:
            msg = f"TURNFOLD_TIMEOUT_SECONDS must be above 0 and at most 600, not {self.timeout_seconds}"
            raise InvalidSettings(msg)
        if not 1024 <= self.max_turn_bytes <= 16 * 1_048_576:
            msg = f"TURNFOLD_MAX_TURN_BYTES must be 1024 to 16777216 (16 MiB), not {self.max_turn_bytes}"
            raise InvalidSettings(msg)
        _check_bounds(self)
        if not 0 < len(self.embedding_model) <= 200:
            raise InvalidSettings("TURNFOLD_EMBEDDING_MODEL must be a name or folder of 1 to 200 characters")
        if not 1 <= self.reference_seconds <= 30 * 86_400:
            msg = f"TURNFOLD_REFERENCE_SECONDS must be 1 to 2592000 (30 days), not {self.reference_seconds}"
            raise InvalidSettings(msg)

    @property
    def uses_sqlite(self) -> bool:
        """Whether the database is SQLite."""
        return self.database_url.startswith("sqlite")

    @property
    def uses_cluster(self) -> bool:
        """Whether any of the inboxes' servers is a Redis Cluster."""
        return any(map(is_cluster, urls_of(self.redis_url)))

    @property
    def effective_broker_url(self) -> str:
        """The URL of Celery's broker: `broker_url`, or the first Redis of the inboxes.

        Celery's URLs of Unix sockets have another scheme than redis-py's. Raises `InvalidSettings` for a cluster.
        """
        url = self.broker_url or urls_of(self.redis_url)[0]
        if is_cluster(url):
            msg = "TURNFOLD_REDIS_URL names a cluster, which Celery cannot use as a broker"
            raise InvalidSettings(msg, remedy="set TURNFOLD_BROKER_URL to a single Redis, Sentinel or RabbitMQ")
        if not url.startswith(_SOCKET):
            return url
        return "redis+socket://" + url.removeprefix(_SOCKET).replace("?db=", "?virtual_host=").replace(
            "&db=", "&virtual_host="
        )

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None) -> Self:
        """Read the variables, and the cell that they name. Raises `InvalidSettings`, which names the variable."""
        variables = os.environ if environment is None else environment
        settings = read_settings(cls, variables)
        if not settings.cells:
            return settings
        for name in _OF_CELLS:
            if variables.get(name):
                msg = f"{name} is set together with TURNFOLD_CELLS, whose file names the servers"
                raise InvalidSettings(msg, remedy="unset one of them")
        return settings.in_cell(settings.cell) if settings.cell else settings

    def read_cells(self) -> Cells:
        """Read the file that `cells` names, and check each cell. Raises `InvalidSettings`."""
        try:
            cells = parse_cells(Path(self.cells).read_text("utf-8"))
        except (OSError, UnicodeError) as error:
            msg = f"the file of TURNFOLD_CELLS cannot be read: {self.cells}"
            raise InvalidSettings(msg, remedy="correct the path or the file's permissions") from error
        for name, cell in cells.cells.items():
            try:
                replace(self, **cell.servers)
            except InvalidSettings as error:
                msg = f"cell {name!r} of TURNFOLD_CELLS: {error}"
                raise InvalidSettings(msg, remedy="correct the cell in the file") from error
        return cells

    def in_cell(self, name: str, cells: Cells | None = None) -> Self:
        """Return a copy with the servers of a cell; reads the file unless given `cells`. Raises `InvalidSettings`."""
        return replace(self, cell=name, **(cells or self.read_cells()).named(name).servers)

    def of_tenant(self, tenant: str) -> Self:
        """Return a copy with the servers of a tenant's cell; itself where a cell is set or there are no cells.

        Raises `InvalidSettings`.
        """
        if self.cell or not self.cells:
            return self
        cells = self.read_cells()
        return self.in_cell(cells.of(tenant), cells)

    def check_one_cell(self) -> None:
        """Raise `InvalidSettings` if there are cells and none is set: for processes that serve a single cell."""
        if self.cells and not self.cell:
            msg = "TURNFOLD_CELLS is set, but this process serves a single cell"
            raise InvalidSettings(msg, remedy="choose it with TURNFOLD_CELL or `turnfold --cell NAME …`")


def _check_cell(settings: Settings) -> None:
    """Raise `InvalidSettings` for a cell without a file of cells."""
    if settings.cell and not settings.cells:
        msg = "TURNFOLD_CELL is set, but TURNFOLD_CELLS is not"
        raise InvalidSettings(msg, remedy="set TURNFOLD_CELLS to the file of cells, or unset TURNFOLD_CELL")


def _check_servers(settings: Settings) -> None:
    """Raise `InvalidSettings` for a Redis that is listed twice: its inboxes would be those of two servers."""
    listed = [*map(named_by, urls_of(settings.redis_url))]
    if len(set(listed)) < len(listed):
        raise InvalidSettings("TURNFOLD_REDIS_URL lists a server twice", remedy="list each server once")


def _check_replica(settings: Settings) -> None:
    """Raise `InvalidSettings` for a database that cannot be a replica of the other."""
    url, remedy = settings.read_database_url, "name a replica of TURNFOLD_DATABASE_URL, or unset it"
    if _IN_MEMORY.fullmatch(url):
        msg = "TURNFOLD_READ_DATABASE_URL names an in-memory database, which cannot be a replica"
        raise InvalidSettings(msg, remedy=remedy)
    if "://" in url and _kind_of_database(url) != _kind_of_database(settings.database_url):
        msg = "TURNFOLD_READ_DATABASE_URL names another kind of database than TURNFOLD_DATABASE_URL"
        raise InvalidSettings(msg, remedy=remedy)


def _kind_of_database(url: str) -> str:
    """Return the kind that a URL names, without the driver."""
    return url.partition("://")[0].partition("+")[0].lower()


def _check_bounds(settings: Settings) -> None:
    """Raise `InvalidSettings` for an invalid number of shards, inbox limit or quota."""
    if not 0 <= settings.shards <= MOST_SHARDS:
        msg = f"TURNFOLD_SHARDS must be 1 to {MOST_SHARDS}, or 0 for the stored number, not {settings.shards}"
        raise InvalidSettings(msg)
    if not 1 <= settings.max_inbox_turns <= MOST:
        raise InvalidSettings(f"TURNFOLD_MAX_INBOX_TURNS must be 1 to {MOST}, not {settings.max_inbox_turns}")
    if not settings.max_turn_bytes <= settings.max_inbox_bytes <= MOST:
        msg = (
            f"TURNFOLD_MAX_INBOX_BYTES must be at least TURNFOLD_MAX_TURN_BYTES ({settings.max_turn_bytes}) and at "
            f"most {MOST}, not {settings.max_inbox_bytes}"
        )
        raise InvalidSettings(msg)
    for name in ("tenant_turns_a_day", "tenant_bytes_a_day", "tenant_stored_bytes"):
        if not 0 <= getattr(settings, name) <= MOST:
            msg = f"TURNFOLD_{name.upper()} must be 0 (unlimited) to {MOST}, not {getattr(settings, name)}"
            raise InvalidSettings(msg)


def _check_types(settings: Settings) -> None:
    """Raise `InvalidSettings` for a value whose type is not that of its field, or a float that is not finite."""
    for field in fields(settings):
        setting, wanted = getattr(settings, field.name), _TYPES[str(field.type)]
        if not isinstance(setting, wanted) or (isinstance(setting, bool) and wanted is not bool):
            msg = f"TURNFOLD_{field.name.upper()} ({field.name}=) must be a {field.type}, not {type(setting).__name__}"
            raise InvalidSettings(msg)
        if isinstance(setting, float) and not math.isfinite(setting):
            raise InvalidSettings(f"TURNFOLD_{field.name.upper()} must be a finite number, not {setting}")


_S = TypeVar("_S")

_TYPES: dict[str, Any] = {"str": str, "int": int, "float": (int, float), "bool": bool}
_WANTED = {"str": "text", "int": "a whole number", "float": "a number", "bool": "on or off"}
_READERS: dict[str, Callable[[str], Any]] = {"str": str, "int": int, "float": float, "bool": _flag}


def read_settings(kind: type[_S], environment: Mapping[str, str], *, prefix: str = "TURNFOLD_", **given: Any) -> _S:
    """Make a settings dataclass from the non-empty variables with a prefix; `given` fields take precedence.

    Raises `InvalidSettings` for a variable that cannot be parsed.
    """
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]  # S is a dataclass type
        variable = f"{prefix}{field.name.upper()}"
        text = environment.get(variable, "")
        if text == "" or field.name in given:
            continue
        try:
            values[field.name] = _READERS[str(field.type)](text)
        except ValueError as error:
            msg = f"{variable} must be {_WANTED[str(field.type)]}, not {text!r}"
            raise InvalidSettings(msg) from error
    return kind(**values, **given)
