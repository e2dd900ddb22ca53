from __future__ import annotations

import errno
import stat
from pathlib import Path

import pytest

from turnfold import InvalidSettings
from turnfold_worker.cli.session import Session
from turnfold_worker.local import state
from turnfold_worker.local.state import AlreadyRunning, default_state_folder, locked


def test_the_state_folder_is_the_given_one_then_the_systems() -> None:
    given = {"TURNFOLD_STATE_DIR": "/given", "XDG_STATE_HOME": "/xdg"}
    assert default_state_folder(given) == Path("/given")
    assert default_state_folder({"XDG_STATE_HOME": "/xdg"}) == Path("/xdg/turnfold")
    assert default_state_folder({}) == Path("~/.local/state/turnfold").expanduser()


def test_two_in_one_folder_are_refused(tmp_path: Path) -> None:
    with locked(tmp_path / "state"):
        with pytest.raises(AlreadyRunning, match="TURNFOLD_STATE_DIR"), locked(tmp_path / "state"):
            pass
        assert state.is_running(tmp_path / "state")
    assert not state.is_running(tmp_path / "state")


def test_settings_are_readable_by_their_owner_only(tmp_path: Path) -> None:
    state.write_settings(tmp_path, {"redis_url": "redis://:secret@127.0.0.1:1/0"})

    assert stat.S_IMODE((tmp_path / "settings.json").stat().st_mode) == 0o600
    assert state.read_settings(tmp_path) == {"redis_url": "redis://:secret@127.0.0.1:1/0"}


def test_numbers_of_processes_go_and_addresses_stay(tmp_path: Path) -> None:
    state.forget_processes(tmp_path)
    assert not (tmp_path / "settings.json").exists()
    state.write_settings(tmp_path, {"redis_url": "redis://127.0.0.1:1/0", "pid": 7, "processes": {"redis": 8}})

    state.forget_processes(tmp_path)

    assert state.read_settings(tmp_path) == {"redis_url": "redis://127.0.0.1:1/0", "pid": None, "processes": {}}


def test_what_others_could_read_is_closed_to_them_and_what_is_not_ours_stays(tmp_path: Path) -> None:
    (tmp_path / "redis").mkdir()
    ours = ["turnfold.db", "turnfold.db-wal", "flower.db", "ingest.log", "ingest.log.1", "redis/appendonly.aof"]
    for name in [*ours, "notes.txt"]:
        (tmp_path / name).touch(0o644)
        (tmp_path / name).chmod(0o644)
    (tmp_path / "elsewhere.db").symlink_to(tmp_path / "notes.txt")

    state.close_to_others(tmp_path)

    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ours} == {0o600}
    assert stat.S_IMODE((tmp_path / "notes.txt").stat().st_mode) == 0o644


def test_a_password_is_kept_and_an_empty_one_is_none(tmp_path: Path) -> None:
    (tmp_path / "redis-password").touch()

    made = state.kept_password(tmp_path, "redis-password")

    assert len(made) == 32
    assert state.kept_password(tmp_path, "redis-password") == made
    assert stat.S_IMODE((tmp_path / "redis-password").stat().st_mode) == 0o600


def test_a_password_that_could_not_be_written_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fdopen", full)
        with pytest.raises(OSError, match="No space"):
            state.kept_password(tmp_path, "redis-password")

    assert not (tmp_path / "redis-password").exists()
    assert len(state.kept_password(tmp_path, "redis-password")) == 32


@pytest.mark.parametrize("content", ["", "{oops", "[]"])
def test_settings_that_cannot_be_read_are_no_settings(tmp_path: Path, content: str) -> None:
    (tmp_path / "settings.json").write_text(content)

    assert state.read_settings(tmp_path) == {}


@pytest.fixture
def running(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    state.write_settings(
        folder, {"redis_url": "redis://up/0", "database_url": "sqlite:///up.db", "broker_url": "redis://up/0"}
    )
    return folder


def test_a_running_up_is_found_when_nothing_is_set(running: Path) -> None:
    with locked(running):
        settings = Session(environment={"TURNFOLD_STATE_DIR": str(running)}).settings

    assert (settings.redis_url, settings.database_url) == ("redis://up/0", "sqlite:///up.db")
    assert settings.effective_broker_url == "redis://up/0"


def test_an_up_that_ended_is_not_found(running: Path) -> None:
    settings = Session(environment={"TURNFOLD_STATE_DIR": str(running)}).settings

    assert settings.redis_url != "redis://up/0"


def test_an_up_that_uses_the_database_of_a_variable_is_found_by_who_has_the_same(running: Path) -> None:
    environment = {"TURNFOLD_STATE_DIR": str(running), "TURNFOLD_DATABASE_URL": "sqlite:///up.db"}
    with locked(running):
        found = Session(environment=environment).settings
        other = Session(environment=environment, database_url="sqlite:///other.db").settings

    assert (found.redis_url, found.database_url) == ("redis://up/0", "sqlite:///up.db")
    assert (other.redis_url != "redis://up/0", other.database_url) == (True, "sqlite:///other.db")


def test_a_folder_that_cannot_be_made_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(InvalidSettings, match="TURNFOLD_STATE_DIR"), locked(tmp_path / "file" / "state"):
        pass


def test_variables_win_over_a_running_up_and_options_over_variables(running: Path) -> None:
    environment = {"TURNFOLD_STATE_DIR": str(running), "TURNFOLD_REDIS_URL": "redis://variable/0"}
    with locked(running):
        from_variable = Session(environment=environment).settings
        from_option = Session(environment=environment, redis_url="redis://option/0", tenant="acme").settings

    assert from_variable.redis_url == "redis://variable/0"
    assert from_variable.database_url != "sqlite:///up.db"
    assert (from_option.redis_url, from_option.tenant) == ("redis://option/0", "acme")


def test_a_replica_in_the_environment_is_none_of_a_database_that_an_option_names() -> None:
    environment = {
        "TURNFOLD_DATABASE_URL": "postgresql+psycopg://primary/x",
        "TURNFOLD_READ_DATABASE_URL": "PostgreSQL+psycopg://replica/x",
    }
    assert Session(environment=environment).settings.read_database_url == environment["TURNFOLD_READ_DATABASE_URL"]
    assert Session(environment=environment, database_url="sqlite:///copy.db").settings.read_database_url == ""
