"""Few threads compute at once, and threads that wait for a server block no others."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import create_engine, func, select
from sqlalchemy.exc import OperationalError

from support.waiting import wait_until
from turnfold.database.driver import Driver
from turnfold.database.processor_share import ProcessorShare, lend_while_executing, waiting


class Crowd:
    """Counts the threads inside, and the most there ever were at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.inside = self.most = 0

    def enter(self) -> None:
        with self._lock:
            self.inside += 1
            self.most = max(self.most, self.inside)

    def leave(self) -> None:
        with self._lock:
            self.inside -= 1


def together(threads: int, call: Callable[[int], object]) -> None:
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(call, range(4 * threads)))


def test_no_more_threads_compute_at_once_than_the_share_has() -> None:
    share, crowd = ProcessorShare(2), Crowd()

    def compute(_: int) -> None:
        with share.held():
            crowd.enter()
            sum(range(20_000))
            crowd.leave()

    together(8, compute)
    assert 1 <= crowd.most <= 2


def test_any_number_of_threads_wait_for_a_server_at_once() -> None:
    share, crowd, answered = ProcessorShare(1), Crowd(), threading.Event()

    def read(_: int) -> None:
        with share.held(), waiting():
            crowd.enter()
            assert answered.wait(30)

    with ThreadPoolExecutor(6) as pool:
        reads = [pool.submit(read, number) for number in range(6)]
        wait_until(lambda: crowd.inside == 6)
        answered.set()
        assert [done.result() for done in reads] == [None] * 6
    with share.held():
        pass


def test_a_share_is_free_again_after_errors_and_within_itself_it_is_held_already() -> None:
    share = ProcessorShare(1)

    def fail() -> None:
        with share.held(), share.held(), waiting(), waiting():
            raise LookupError

    for _ in range(3):
        with pytest.raises(LookupError):
            fail()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: share.held().__enter__()).result(10) is None


def test_statements_inside_a_wait_end_no_wait_but_their_own(tmp_path: Path) -> None:
    # A database in memory has a connection for each thread, which ends unclosed with it.
    share, engine = ProcessorShare(1), create_engine(f"sqlite:///{tmp_path / 'one.db'}")
    lend_while_executing(engine)

    def read() -> int:
        with share.held():
            # A dialect queries the server's version while it connects.
            with waiting(), engine.connect() as connection:
                connection.exec_driver_sql("SELECT 1")
            with engine.connect() as connection, suppress(OperationalError):
                connection.exec_driver_sql("SELEC")
            return 1

    with ThreadPoolExecutor(2) as pool:
        assert sum(done.result(20) for done in [pool.submit(read) for _ in range(6)]) == 6
    engine.dispose()


def test_statements_of_sqlite_keep_the_share(tmp_path: Path) -> None:
    share, engine = ProcessorShare(1), create_engine(f"sqlite:///{tmp_path / 'one.db'}")
    driver, meeting = Driver(engine), threading.Barrier(2)

    def meet() -> int:
        with suppress(threading.BrokenBarrierError):
            meeting.wait(0.3)
            return 1
        return 0

    def read(_: int) -> int:
        with share.held(), driver.connection() as connection:
            connection.driver.create_function("met", 0, meet)
            ((row,),) = connection.batch((select(func.met()), {}))
            return int(row[0])

    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(read, range(2))] == [0, 0]
    driver.close()
    engine.dispose()
