"""The Redis servers of the inboxes: routing of conversations, and handling of servers that are down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, cast

from turnfold.contract import keys
from turnfold.contract.keys import Address, Place
from turnfold.contract.server_urls import is_cluster, nodes_of_cluster, urls_of
from turnfold.contract.shards import Layout
from turnfold.errors import InvalidSettings, Unavailable
from turnfold.redis import scripts
from turnfold.redis.connections import NoAnswer, connect, is_cluster_client, translated
from turnfold.redis.lua import Call, Script

if TYPE_CHECKING:
    import redis

    from turnfold.settings import Settings

_T = TypeVar("_T")

_SHARDS_AT_ONCE: Final = 16
"""Shards per EXISTS command."""


class InboxServers:
    """The Redis servers, each opened on first use. Thread-safe."""

    def __init__(
        self, openers: Sequence[Callable[[], redis.Redis]], stored: Callable[[], Layout], *, shards: int = 0
    ) -> None:
        """`stored` reads the layout from `meta`; `shards` is the number of shards by the settings, 0 if not set."""
        self._openers = openers
        self.stored_layout: Final = stored
        """Reads the layout from `meta`."""
        self._shards = shards
        self._clients: dict[int, redis.Redis] = {}
        self._placed: set[int] = set()
        self._lock = threading.Lock()
        self._layout: Layout | None = None

    @classmethod
    def of(cls, settings: Settings, stored: Callable[[], Layout], *, timeout_seconds: float | None = None) -> Self:
        """Create the servers named by TURNFOLD_REDIS_URL, without connecting. Raises `InvalidSettings`."""
        seconds = timeout_seconds or settings.timeout_seconds
        urls = urls_of(settings.redis_url)
        return cls([_opener(url, seconds) for url in urls], stored, shards=settings.shards)

    @classmethod
    def on(cls, client: redis.Redis, layout: Callable[[], Layout]) -> Self:
        """Wrap one server with an open client, which the caller closes."""
        return cls([lambda: client], layout)

    def __len__(self) -> int:
        return len(self._openers)

    @property
    def home(self) -> redis.Redis:
        """The first server, for keys that belong to no shard."""
        return self.client(0)

    def client(self, position: int) -> redis.Redis:
        """Return the client of a server by its index. Raises `InvalidSettings`, `Unavailable`."""
        with self._lock:
            client = self._clients.get(position)
        if client is None:
            client = self._openers[position]()
            with self._lock:
                client = self._clients.setdefault(position, client)
        if len(self._openers) > 1 and position not in self._placed:
            self._check_position(client, position)
        return client

    def _on_server(self, doing: str, position: int) -> str:
        """Add which of several servers was asked, for a message."""
        return doing if len(self) == 1 else f"{doing} (server {position + 1} of TURNFOLD_REDIS_URL)"

    def _check_position(self, client: redis.Redis, position: int) -> None:
        with translated(self._on_server("checking its position in the list of servers", position)):
            client.set(keys.SERVER, position, nx=True)
            found = int(cast("bytes", client.get(keys.SERVER) or position))
        if found != position:
            msg = (
                f"server {position + 1} of TURNFOLD_REDIS_URL holds the inboxes of server {found + 1}: the order of "
                "the list has changed since it was first used"
            )
            raise InvalidSettings(
                msg, remedy="list the servers in the same order everywhere, and add new ones at the end"
            )
        self._placed.add(position)

    def layout(self, doing: str = "reading the shard layout", *, fresh: bool = False) -> Layout:
        """Return the layout of the shards, uncached if `fresh`. Raises `InvalidSettings`, `Unavailable`, and as `meta`.

        Read from Redis, so that an append needs no database; from `meta` if Redis does not have it.
        """
        layout = self._layout
        if layout is not None and not fresh:
            return layout
        text = self.first_answering(doing, lambda client: client.get(keys.LAYOUT))
        if text is None:
            layout = self.stored_layout()
            self._check(layout)
            for position in range(layout.most_servers):
                self._offer(position, layout)
        else:
            layout = Layout.from_text(cast("bytes", text).decode())
            self._check(layout)
        self._layout = layout
        return layout

    def _offer(self, position: int, layout: Layout) -> None:
        try:
            self._say(position, layout)
        except NoAnswer:
            # The next client that asks this server finds no layout, and offers it again.
            return

    def _say(self, position: int, layout: Layout) -> None:
        with translated("publishing the shard layout"):
            _SET_LAYOUT(self.client(position), [keys.LAYOUT], [layout.to_text(), layout.rank])

    def publish(self, layout: Layout, *, servers: int) -> None:
        """Write a layout to the first `servers` servers, unless they have a newer one. Raises `Unavailable`."""
        self._check(layout)
        for position in range(servers):
            self._say(position, layout)
        self._layout = layout

    def said(self, servers: int) -> list[Layout | None]:
        """Read the layouts on the first `servers` servers. Raises `Unavailable`."""
        texts = []
        for position in range(servers):
            with translated("reading the shard layout"):
                texts.append(cast("bytes | None", self.client(position).get(keys.LAYOUT)))
        return [None if text is None else Layout.from_text(text.decode()) for text in texts]

    def _check(self, layout: Layout) -> None:
        """Raise `InvalidSettings` if a setting contradicts the layout."""
        if self._shards not in {0, layout.shards, layout.newest.shards}:
            msg = f"TURNFOLD_SHARDS is {self._shards}, but the inboxes are in {layout.shards} shards"
            raise InvalidSettings(msg, remedy="unset it: the number is read from the database")
        most = layout.most_servers
        if most > len(self._openers):
            msg = f"TURNFOLD_REDIS_URL names {len(self._openers)} servers, but the inboxes are on {most}"
            raise InvalidSettings(msg, remedy="list all of them, separated by commas, in the same order everywhere")

    def place(self, address: Address) -> Place:
        """Return the place of a conversation; during a reshard, its future one. Raises as `layout`."""
        return Place(address, self._shard_at(address.point))

    def known_positions(self, address: Address) -> tuple[int, ...]:
        """Return the indexes of the servers of a conversation by the cached layout; empty before one is read."""
        layout = self._layout
        return () if layout is None else tuple(layout.server_of(place.shard) for place in places_in(layout, address))

    def places(self, address: Address) -> list[Place]:
        """Return every place that may have data of a conversation, newest first; two in a reshard. Raises as `layout`.

        Current: checks whether a reshard unknown here has closed the shard.
        """
        doing = "locating a conversation"
        layout = self.layout(doing)
        if layout.target is None:
            shard = layout.shard_at(address.point)
            with self.asking(doing, shard) as client:
                is_closed = client.exists(keys.closed(shard))
            if is_closed:
                layout = self.layout(doing, fresh=True)
        return places_in(layout, address)

    def _shard_at(self, point: int, doing: str = "locating a conversation") -> int:
        return self.layout(doing).newest.shard_at(point)

    def all(self) -> list[int]:
        """Return every shard that may have data, from a fresh layout. Raises as `layout`."""
        return [*self.layout(fresh=True).all()]

    def knows(self, shard: int) -> bool:
        """Whether a number is a shard: any client of Redis or the broker may have written it."""
        return self.layout().has(shard) or self.layout(fresh=True).has(shard)

    def position_of(self, shard: int) -> int:
        """Return the index of the server of a shard, which must satisfy `knows`."""
        return self.layout().server_of(shard)

    def client_of(self, shard: int) -> redis.Redis:
        """Return the client of the server of a shard."""
        return self.client(self.position_of(shard))

    def run(self, address: Address, doing: str, action: Callable[[Place, redis.Redis], _T]) -> _T:
        """Run an action at a conversation's place. Raises `Unavailable`."""
        place = Place(address, self._shard_at(address.point, doing))
        with self.asking(doing, place.shard) as client:
            return action(place, client)

    @contextmanager
    def asking(self, doing: str, shard: int) -> Iterator[redis.Redis]:
        """Yield the client of a shard's server. Raises `Unavailable`, which names the server if there are several."""
        position = self.position_of(shard)
        with translated(self._on_server(doing, position)):
            yield self.client(position)

    def first_answering(self, doing: str, action: Callable[[redis.Redis], _T]) -> _T:
        """Run an action on the first server that answers. Raises `Unavailable` if none does."""
        for position in range(len(self._openers)):
            try:
                with translated(doing):
                    return action(self.client(position))
            except NoAnswer:
                if position == len(self._openers) - 1:
                    raise
        raise AssertionError

    def of_all(self, doing: str, action: Callable[[redis.Redis], _T]) -> list[_T]:
        """Run an action on every server of the layout; return the results of those that answer. Raises if none does."""
        return list(self.answering(doing, action).values())

    def answering(self, doing: str, action: Callable[[redis.Redis], _T]) -> dict[int, _T]:
        """Return what `of_all` does, by the index of the server."""
        groups = {position: [position] for position in range(self.layout().most_servers)}
        return self._grouped(doing, groups, lambda client, of: {of[0]: action(client)}, patient=False)

    def waiting(self, doing: str, tenant: str) -> list[Place]:
        """Return the places with entries of a tenant; both of a conversation that is moving. Raises `Unavailable`."""
        name = keys.encode_id(tenant)
        ready = self.piped(
            doing, self.all(), lambda pipeline, shard: pipeline.zrange(keys.ready_prefix(shard) + name, 0, -1)
        )
        return [
            Place(Address(tenant, keys.decode_id(member.decode())), shard)
            for shard, members in ready.items()
            for member in members
        ]

    def by_server(self, shards: Iterable[int]) -> dict[int, list[int]]:
        """Group shards by the index of their server, skipping unknown ones."""
        groups: dict[int, list[int]] = {}
        for shard in shards:
            if self.knows(shard):
                groups.setdefault(self.position_of(shard), []).append(shard)
        return groups

    def piped(
        self, doing: str, shards: Sequence[int], add: Callable[[Any, int], object], *, patient: bool = True
    ) -> dict[int, Any]:
        """Run a command per shard, in one round trip per server, and return the replies by shard.

        If not `patient`, servers that are down are skipped, unless all are. Raises `Unavailable`.
        """

        def ask(client: redis.Redis, of_server: list[int]) -> dict[int, Any]:
            pipeline = client.pipeline(transaction=False)
            for shard in of_server:
                add(pipeline, shard)
            return dict(zip(of_server, pipeline.execute(), strict=True))

        return self._grouped(doing, self.by_server(shards), ask, patient=patient)

    def holding(self, doing: str, names_of: Callable[[int], Sequence[str]]) -> list[int]:
        """Return the shards with any of some keys; a block of shards without any costs one command.

        Servers that are down are skipped, unless all are. Raises `Unavailable`.
        """

        def held(client: redis.Redis, blocks: list[list[int]]) -> list[int]:
            pipeline: Any = client.pipeline(transaction=False)
            for block in blocks:
                pipeline.exists(*(name for shard in block for name in names_of(shard)))
            counts = pipeline.execute()
            return [shard for block, count in zip(blocks, counts, strict=True) if count for shard in block]

        def ask(client: redis.Redis, of_server: list[int]) -> dict[int, Any]:
            sought = of_server
            if not is_cluster_client(client):
                # A cluster rejects commands with keys of two shards.
                firsts = range(0, len(of_server), _SHARDS_AT_ONCE)
                sought = held(client, [of_server[first : first + _SHARDS_AT_ONCE] for first in firsts])
            # A server without any of the keys has answered too.
            return {
                **dict.fromkeys(of_server, False),
                **dict.fromkeys(held(client, [[shard] for shard in sought]), True),
            }

        answers = self._grouped(doing, self.by_server(self.all()), ask, patient=False)
        return sorted(shard for shard, is_held in answers.items() if is_held)

    def each(self, doing: str, script: Script, calls: Sequence[Call], *, patient: bool = True) -> list[Any]:
        """Run a script for several calls, in one round trip per server; None for calls to a server that is down.

        If `patient`, raises `Unavailable` for a server that is down, after the others have answered.
        """
        groups: dict[int, list[int]] = {}
        for number, call in enumerate(calls):
            groups.setdefault(self.position_of(call.shard), []).append(number)

        def ask(client: redis.Redis, numbers: list[int]) -> dict[int, Any]:
            return dict(zip(numbers, script.together(client, [calls[number] for number in numbers]), strict=True))

        answers = self._grouped(doing, groups, ask, patient=patient)
        return [answers.get(number) for number in range(len(calls))]

    def _grouped(
        self, doing: str, groups: dict[int, list[int]], ask: Callable[[redis.Redis, list[int]], dict[int, Any]], *,
        patient: bool,
    ) -> dict[int, Any]:  # fmt: skip
        answers: dict[int, Any] = {}
        away: Unavailable | None = None
        for position, group in groups.items():
            try:
                with translated(self._on_server(doing, position)):
                    answers |= ask(self.client(position), group)
            except NoAnswer as error:
                away = away or error
        if away is not None and (patient or not answers):
            raise away
        return answers

    def close(self) -> None:
        """Close all opened clients."""
        with self._lock:
            clients, self._clients = self._clients, {}
        for client in clients.values():
            client.close()


_SET_LAYOUT = Script(scripts.SET_LAYOUT)


def places_in(layout: Layout, address: Address) -> list[Place]:
    """Return the places that may have data of a conversation, newest first."""
    generations = [layout.newest, layout] if layout.target else [layout]
    return [Place(address, generation.shard_at(address.point)) for generation in generations]


def _opener(url: str, seconds: float) -> Callable[[], redis.Redis]:
    if is_cluster(url):
        nodes_of_cluster(url)
        # The cluster client connects on creation.
        return partial(_opened, url, seconds)
    # Does not connect, but reports an invalid URL at once.
    client = connect(url, timeout_seconds=seconds)
    return lambda: client


def _opened(url: str, seconds: float) -> redis.Redis:
    with translated("discovering the nodes of its cluster"):
        return connect(url, timeout_seconds=seconds)
