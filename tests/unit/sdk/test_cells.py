"""A file of cells is validated, and every tenant belongs to one cell."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import InvalidSettings, Settings, Turnfold
from turnfold.contract.cells import Cell, Cells, parse_cells

EU = '[cells.eu]\nredis_url = "redis://eu:1/0"\ndatabase_url = "sqlite:////srv/eu.db"\n'
US = '[cells.us]\nredis_url = "redis://us:1/0"\ndatabase_url = "postgresql+psycopg://us/turnfold"\n'

names = st.text("abcdefgh-.0123456789", min_size=1, max_size=12)
tenants = st.text("abcdefghijklmnopqrstuvwxyz-.:0123456789", min_size=1, max_size=20)


def cells_of(*named: str, pins: dict[str, str] | None = None) -> Cells:
    return Cells(
        cells={name: Cell(redis_url=f"redis://{name}:1/0", database_url=f"sqlite:////{name}.db") for name in named},
        pins=pins or {},
    )


def test_a_file_says_which_servers_a_cell_has() -> None:
    cells = parse_cells(EU + 'broker_url = "amqp://eu"\n' + US + '[pins]\nacme = "us"\n')
    assert cells.named("eu").servers == {
        "redis_url": "redis://eu:1/0", "database_url": "sqlite:////srv/eu.db", "broker_url": "amqp://eu",
        "read_database_url": "", "database_pooler": False,
    }  # fmt: skip
    assert cells.of("acme") == "us"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "defines no cells"),
        ("cells = 3", "must be tables"),
        ("[cells.eu", "not valid TOML"),
        ("[cell.eu]", "unknown table 'cell'"),
        ("[cells]\neu = 3", "'eu' is not a table"),
        ('[cells.eu]\nredis_url = "redis://h"', "no database_url"),
        (EU + "timeout = 3", "unknown key 'timeout'"),
        (EU + "broker_url = 3", "broker_url of cell 'eu' must be text"),
        (EU + 'pinned_only = "no"', "pinned_only of cell 'eu' must be true or false"),
        (EU + "pinned_only = true", "no cell for unpinned tenants"),
        (EU + '[pins]\nacme = "mars"', "pins tenant 'acme' to cell 'mars', which does not exist"),
        (EU + "[pins]\nacme = 3", "to a value that is not text"),
        (EU + '[pins]\n"" = "eu"', "tenant"),
        (
            EU + US.replace("postgresql+psycopg://us/turnfold", "sqlite:////srv/eu.db"),
            "'eu' and 'us' the same database",
        ),
        (EU + US.replace("redis://us", "redis://eu"), "'eu' and 'us' the same"),
        (EU + US + 'broker_url = "redis://eu:1/0"', "'eu' and 'us' the same broker"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidSettings, match=message) as refusal:
        parse_cells(text)
    assert "\n" not in str(refusal.value)


@given(st.lists(names, min_size=1, max_size=6, unique=True), names, tenants)
def test_an_added_cell_takes_tenants_and_moves_none_between_others(known: list[str], added: str, tenant: str) -> None:
    before = cells_of(*known).of(tenant)
    after = cells_of(*{*known, added}).of(tenant)
    assert after in {before, added}
    assert cells_of(*reversed(known)).of(tenant) == before


@given(st.lists(names, min_size=2, max_size=6, unique=True), tenants, st.data())
def test_a_pin_wins(known: list[str], tenant: str, data: st.DataObject) -> None:
    pinned = data.draw(st.sampled_from(known))
    assert cells_of(*known, pins={tenant: pinned}).of(tenant) == pinned


def test_tenants_spread_evenly_and_as_they_always_did() -> None:
    cells = cells_of("a", "b", "c", "d")
    counts = Counter(cells.of(f"tenant-{i}") for i in range(4_000))
    assert min(counts.values()) > 850
    # Fixed assignments: another hash would lose every stored tenant.
    assert [cells.of(tenant) for tenant in ("acme", "default", "globex", "initech")] == ["b", "d", "b", "c"]


def test_nobody_is_hashed_to_a_cell_for_pinned_ones() -> None:
    cells = parse_cells(EU + US + "pinned_only = true\n" + '[pins]\nacme = "us"\n')
    assert {cells.of(f"t{i}") for i in range(50)} == {"eu"}
    assert cells.of("acme") == "us"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cells.toml"
    path.write_text(EU + US, "utf-8")
    return path


def test_a_process_takes_the_servers_of_its_cell(file: Path) -> None:
    settings = Settings.from_env({"TURNFOLD_CELLS": str(file), "TURNFOLD_CELL": "us"})
    assert settings.redis_url == settings.effective_broker_url == "redis://us:1/0"
    assert settings.database_url == "postgresql+psycopg://us/turnfold"


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"TURNFOLD_CELL": "mars"}, "TURNFOLD_CELL is 'mars'"),
        ({"TURNFOLD_REDIS_URL": "redis://h"}, "TURNFOLD_REDIS_URL is set together with TURNFOLD_CELLS"),
        ({"TURNFOLD_CELLS": "", "TURNFOLD_CELL": "eu"}, "TURNFOLD_CELLS is not"),
        ({"TURNFOLD_CELLS": "nowhere.toml", "TURNFOLD_CELL": "eu"}, "cannot be read: nowhere.toml"),
    ],
)
def test_variables_that_disagree_are_refused(file: Path, variables: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidSettings, match=message):
        Settings.from_env({"TURNFOLD_CELLS": str(file), **variables})


def test_a_cell_whose_servers_make_no_sense_is_named(file: Path) -> None:
    file.write_text(EU + "database_pooler = true\n", "utf-8")
    with pytest.raises(InvalidSettings, match=r"cell 'eu' of TURNFOLD_CELLS: .*POOLER"):
        Turnfold(cells=str(file))


def test_what_serves_one_cell_asks_which(file: Path) -> None:
    with pytest.raises(InvalidSettings, match="serves a single cell"):
        Settings.from_env({"TURNFOLD_CELLS": str(file)}).check_one_cell()
    chosen = Settings.from_env({"TURNFOLD_CELLS": str(file), "TURNFOLD_CELL": "eu"})
    chosen.check_one_cell()
    assert chosen.cell == "eu"
