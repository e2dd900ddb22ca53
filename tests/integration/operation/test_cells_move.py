"""`turnfold cells move` loses and duplicates nothing, whenever it is killed, and rejects moves that cannot work."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from conftest import LocalWorker, workers_of
from support.killed_command import run_killed
from support.talk import talk
from turnfold import Settings, Turnfold, UnknownConversation
from turnfold.contract.keys import Address
from turnfold_gateway.keys.store import KeyStore
from turnfold_worker.adapters.sql.dropped_postings import SqlIdleSearch
from turnfold_worker.cli import forget
from turnfold_worker.use_cases.search_rows import drop_idle

InCells = Callable[..., Any]
Pin = Callable[[str], None]

pytestmark = pytest.mark.postgresql

MOVE = ("cells", "move", "acme", "--to", "us", "--wait", "0")


@pytest.fixture
def eu(redis_url: str, sqlite_url: str) -> Iterator[LocalWorker]:
    """The worker of cell `eu`, in this process; it works on request."""
    with workers_of(redis_url, sqlite_url) as make:
        yield make()


@pytest.fixture
def us(second_redis: str, postgresql_url: str) -> Iterator[LocalWorker]:
    """The worker of cell `us`."""
    with workers_of(second_redis, postgresql_url) as make:
        yield make()


@pytest.fixture
def acme(cells_file: Path) -> Iterator[Turnfold]:
    """A client of the tenant, by the file as it is now."""
    with Turnfold(cells=str(cells_file), tenant="acme", doorbell=False) as client:
        yield client


@pytest.fixture
def said(acme: Turnfold, eu: LocalWorker) -> dict[str, list[str]]:
    """The tenant's contents in cell `eu`: three conversations, with an edit, a deletion and a setting."""
    for name, turns in (("a", 14), ("b", 5), ("c/d %", 9)):
        acme.append(name, [{**turn, "turn_id": f"t{i}"} for i, turn in enumerate(talk(f"move {name}", turns))])
    acme.edit("a", "t3", content="Decision: we move to another cell.")
    acme.delete("b", "t1")
    acme.configure("a", title="A title")
    eu.settle()
    return {name: [turn.content for turn in acme.turns(name)] for name in ("a", "b", "c/d %")}


def digests(worker: LocalWorker, names: Iterable[str]) -> dict[str, str]:
    """Return the digests of those conversations that a cell has."""
    held: dict[str, str] = {}
    for name in names:
        with suppress(UnknownConversation):
            held[name] = worker.digest(name)
    return held


def contents(cells_file: Path, names: Iterable[str]) -> dict[str, list[str]]:
    with Turnfold(cells=str(cells_file), tenant="acme", doorbell=False) as client:
        return {name: [turn.content for turn in client.turns(name)] for name in names}


def kills_until_done(step: int, cells_file: Path, *arguments: str, after_each: Callable[[], object]) -> int:
    """Kill a command after more statements each time until it ends; return the number of kills."""
    for kills in count():
        statements, log = step * kills * (kills + 1) // 2, cells_file.with_name("killed.log")
        ended = run_killed(statements, *arguments, log=log, TURNFOLD_CELLS=str(cells_file))
        if ended != -signal.SIGKILL:
            assert ended == 0, log.read_text()
            return kills
        after_each()
    raise AssertionError


def test_a_move_that_is_killed_at_any_step_goes_on(
    cells_file: Path, said: dict[str, list[str]], eu: LocalWorker, us: LocalWorker, acme: Turnfold, pin: Pin,
    in_cells: InCells,
) -> None:  # fmt: skip
    # An earlier copy exists, and one of its conversations has continued since.
    assert in_cells(*MOVE, "--json")["copied"] == 3
    acme.append("b", [{"role": "user", "content": "One more thing.", "turn_id": "more"}])
    eu.settle()
    said["b"].append("One more thing.")
    source = digests(eu, said)

    def nothing_is_half_there() -> None:
        assert digests(eu, said) == source
        assert digests(us, said).items() <= {**source, "b": digests(us, said).get("b")}.items()

    assert kills_until_done(9, cells_file, *MOVE, after_each=nothing_is_half_there) >= 5
    assert digests(us, said) == source

    pin("us")

    assert kills_until_done(3, cells_file, *MOVE, "--yes", after_each=eu.settle) >= 5
    eu.settle()
    assert digests(eu, said) == {}
    assert digests(us, said) == source
    assert contents(cells_file, said) == said
    assert in_cells("cells", "--json")["cells"]["eu"] == {"tenants": [], "strays": []}


def test_search_rows_that_either_cell_has_dropped_are_no_difference(
    cells_file: Path, said: dict[str, list[str]], eu: LocalWorker, us: LocalWorker, pin: Pin, in_cells: InCells,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(forget, "WAIT_SECONDS", 0.0)
    source = digests(eu, said)

    def drop(worker: LocalWorker) -> None:
        search = SqlIdleSearch(worker.write_engine, read_engine=worker.engine)
        with worker.write_engine.begin() as connection:
            connection.execute(text("UPDATE conversation SET updated_at = '2020-01-01 00:00:00+00:00'"))
        for _ in said:
            drop_idle(1.0, search=search, seconds=0.0, clock=lambda: 0.0)
        with worker.engine.connect() as connection:
            assert connection.scalar(text("SELECT COUNT(*) FROM posting WHERE number = -1"))

    drop(eu)
    assert in_cells(*MOVE, "--json")["state"] == "copied"
    drop(us)
    assert in_cells(*MOVE, "--json")["copied"] == 0
    assert digests(eu, said) == digests(us, said) == source
    pin("us")
    drop(us)
    assert in_cells(*MOVE, "--yes", "--json")["state"] == "moved"
    assert contents(cells_file, said) == said


def test_the_second_run_erases_what_the_first_one_copied(
    cells_file: Path, said: dict[str, list[str]], eu: LocalWorker, pin: Pin, in_cells: InCells,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(forget, "WAIT_SECONDS", 0.0)
    copied = in_cells(*MOVE, "--json")
    assert copied == {
        "tenant": "acme", "from": "eu", "to": "us", "state": "copied", "conversations": 3, "turns": 28, "copied": 3,
        "keys": 0, "pin": {"acme": "us"},
    }  # fmt: skip
    again = in_cells(*MOVE)
    assert "3 conversations with 28 turns of tenant acme are the same in cells eu and us" in again
    assert "this run copied 0 and 0 keys" in again
    assert '[pins]\n"acme" = "us"' in again

    pin("us")
    assert "Erase its 3 conversations in cell 'eu'?" in in_cells(*MOVE, code=1)
    assert contents(cells_file, said) == said
    left = in_cells(*MOVE, "--yes", "--json")
    assert (left["state"], left["erased"]["eu"]["conversations"], left["erased"]["eu"]["completed"]) == (
        "moved",
        3,
        False,
    )
    eu.settle()
    assert "nothing to do: tenant acme is in cell us" in in_cells(*MOVE)
    assert contents(cells_file, said) == said


def test_what_went_on_in_the_new_cell_does_not_hold_up_the_erasure(
    cells_file: Path, said: dict[str, list[str]], us: LocalWorker, pin: Pin, in_cells: InCells,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(forget, "WAIT_SECONDS", 0.0)
    in_cells(*MOVE)
    pin("us")
    with Turnfold(cells=str(cells_file), tenant="acme", doorbell=False) as moved:
        moved.append("new", talk("new", 3))
        moved.append("a", talk("later", 3))
        moved.edit("b", "t2", content="It is Thursday, not Friday.")
        moved.forget("c/d %", timeout_seconds=0)
        us.settle()
        in_cells(*MOVE, "--yes")
        assert len(moved.turns("a")) == 17
        assert moved.turns("b")[2].content == "It is Thursday, not Friday."


@pytest.mark.usefixtures("said")
def test_turns_that_came_to_the_old_cell_after_the_copy_are_not_erased(
    acme: Turnfold, eu: LocalWorker, pin: Pin, in_cells: InCells, cells_file: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(forget, "WAIT_SECONDS", 0.0)
    in_cells(*MOVE)
    pin("us")
    # The tenant's client has read the file before.
    acme.append("new", [{"role": "user", "content": "I have the older file.", "turn_id": "late"}])
    assert "in cell 'eu': 1 conversations, such as 'new', are not stored yet" in in_cells(*MOVE, "--yes", code=3)
    eu.settle()
    refused = in_cells(*MOVE, "--yes", code=3)
    assert "cell 'eu' holds what 'us' does not, of conversations 'new'; nothing was erased" in refused

    archive = str(tmp_path / "new.jsonl")
    in_cells("--cell", "eu", "--tenant", "acme", "export", "new", "-o", archive)
    in_cells("--cell", "us", "--tenant", "acme", "import", archive)
    in_cells(*MOVE, "--yes")
    assert contents(cells_file, ["new"]) == {"new": ["I have the older file."]}


@pytest.mark.usefixtures("said")
def test_what_was_forgotten_in_the_old_cell_after_the_copy_is_named(
    acme: Turnfold, eu: LocalWorker, pin: Pin, in_cells: InCells, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forget, "WAIT_SECONDS", 0.0)
    in_cells(*MOVE)
    acme.forget("b", timeout_seconds=0)
    eu.settle()
    pin("us")

    assert "These are only in us: b\n" in in_cells(*MOVE, "--yes")


@pytest.mark.usefixtures("said")
def test_a_tenant_that_is_pinned_before_it_was_copied_stays_where_it_is(pin: Pin, in_cells: InCells) -> None:
    pin("us")
    refused = in_cells(*MOVE, "--yes", code=3)
    assert "nothing was erased" in refused
    assert 'pin it to its current cell, "acme" = "eu", and run this again to copy the rest' in refused
    pin("eu")
    assert in_cells(*MOVE, "--json")["copied"] == 3


def test_what_is_appended_while_it_is_copied_is_copied_by_the_next_run(
    said: dict[str, list[str]], acme: Turnfold, eu: LocalWorker, us: LocalWorker, in_cells: InCells,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from turnfold_worker.operate import tenant_move

    copied = tenant_move.TenantMove._copy

    def copied_and_appended_to(move: tenant_move.TenantMove, address: Address) -> None:
        copied(move, address)
        if address.conversation == "a":
            acme.append("a", [{"role": "user", "content": "Wait!", "turn_id": "wait"}])
            eu.settle()

    with monkeypatch.context() as patch:
        patch.setattr(tenant_move.TenantMove, "_copy", copied_and_appended_to)
        assert "conversation 'a' differs between the cells" in in_cells(*MOVE, code=3)
    assert in_cells(*MOVE, "--json")["copied"] == 1
    assert digests(us, said) == digests(eu, said)


@pytest.mark.usefixtures("said")
def test_turns_that_only_the_new_cell_has_are_not_overwritten(
    cells_file: Path, us: LocalWorker, pin: Pin, in_cells: InCells
) -> None:
    pin("us")
    with Turnfold(cells=str(cells_file), tenant="acme", doorbell=False) as early:
        early.append("a", [{"role": "user", "content": "I am too early.", "turn_id": "early"}])
        early.append("mine", talk("mine", 2))
        us.settle()
        pin("eu")
        assert "cell 'us' has conversations of tenant 'acme' that are not in 'eu': 'mine'" in in_cells(*MOVE, code=3)
        early.forget("mine", timeout_seconds=0)
        refused = in_cells(*MOVE, code=3)
        assert "conversation 'a' has turns in cell 'us' that are not in 'eu', such as 'early'" in refused
        assert [turn.content for turn in early.turns("a")] == ["I am too early."]


def test_what_the_new_cell_is_about_to_erase_is_not_copied_under_it(
    cells_file: Path, said: dict[str, list[str]], eu: LocalWorker, us: LocalWorker, pin: Pin, in_cells: InCells
) -> None:
    in_cells(*MOVE)
    pin("us")
    with Turnfold(cells=str(cells_file), tenant="acme", doorbell=False) as early:
        early.forget("b", timeout_seconds=0)
    pin("eu")
    assert "cell 'us' has not yet erased conversations forgotten there: 'b'" in in_cells(*MOVE, code=3)
    us.settle()
    assert in_cells(*MOVE, "--json")["copied"] == 1
    us.settle()
    assert digests(us, said) == digests(eu, said)


@pytest.mark.usefixtures("said", "us")
def test_keys_go_along_and_stay_revoked_wherever_they_were(
    cells_file: Path, eu: LocalWorker, pin: Pin, in_cells: InCells, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forget, "WAIT_SECONDS", 0.0)
    cells = Settings(cells=str(cells_file))
    with closing(KeyStore(cells.in_cell("eu"))) as old, closing(KeyStore(cells.in_cell("us"))) as new:
        first, revoked, later = (old.create("acme", f"key {n}", ["read", "admin"]).key_id for n in range(3))
        old.create("hooli", "of somebody else", ["read"])
        old.revoke(revoked)

        assert in_cells(*MOVE, "--json")["keys"] == 3
        assert new.keys("acme") == old.keys("acme")
        assert in_cells(*MOVE, "--json")["keys"] == 0
        # Keys revoked on either side in between, and one made after the copy.
        old.revoke(first)
        new.revoke(later)
        made_since = old.create("acme", "made since", ["read"]).key_id
        pin("us")
        in_cells(*MOVE, "--yes")
        eu.settle()

        by_id = {key.id: key for key in new.keys("acme")}
        assert {id_ for id_, key in by_id.items() if key.revoked_at is None} == {made_since}
        assert set(by_id) == {first, revoked, later, made_since}
        assert old.keys("acme") == []
        assert [key.tenant for key in old.keys(None)] == ["hooli"]
        assert new.keys("hooli") == []


def test_what_cannot_work_is_refused(
    acme: Turnfold, said: dict[str, list[str]], in_cells: InCells, cells_file: Path
) -> None:
    assert "there is no cell 'mars'" in in_cells("cells", "move", "acme", "--to", "mars", code=2)
    assert "has no conversations of it" in in_cells("cells", "move", "globex", "--to", "eu", code=2)
    nothing = in_cells("cells", "move", "acme", "--to", "eu")
    assert "nothing to do: tenant acme is in cell eu, and no other cell has any of its data" in nothing
    assert "Missing option '--to'" in in_cells("cells", "move", "acme", code=2)
    acme.append("a", talk("waits", 1))
    waits = in_cells(*MOVE, code=3)
    assert "tenant 'acme' is being written to in cell 'eu'" in waits
    assert "stop everything that appends, edits or forgets for it" in waits
    assert contents(cells_file, said)["b"] == said["b"]


def test_a_tenant_may_be_called_as_a_command_is(in_cells: InCells) -> None:
    assert in_cells("cells", "show", "move") == in_cells("cells", "show", "move", "--json")["cell"] + "\n"
    assert "Move TENANT to another cell" in in_cells("cells", "move", "--help")
    assert "turnfold cells move acme --to us" in in_cells("cells", "--help")
