"""A worker's main process keeps nothing of a lost connection to its broker."""

from __future__ import annotations

import weakref

from kombu import Connection
from kombu.asynchronous import Hub

from turnfold_worker.celery_parts import broker_transport


def test_a_connection_takes_the_place_of_the_one_before_it(redis_url: str) -> None:
    hub = Hub()
    hub.on_tick.add(ours := lambda: None)
    transports = []
    for _ in range(3):
        with Connection(redis_url, transport=broker_transport.Transport) as connection:
            connection.transport.register_with_event_loop(connection.connection, hub)
            transports.append(weakref.ref(connection.transport))
        # Celery clears the timer in the same way.
        for entry in hub.timer.queue:
            entry.entry.cancel()
        hub.timer.clear()
    assert len(hub.on_tick) == 2
    assert ours in hub.on_tick
    del connection
    assert [transport() is None for transport in transports] == [True, True, False]
