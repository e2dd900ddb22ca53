"""Settings: each variable is read, and each bad value is named."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from turnfold import AsyncTurnfold, InvalidInput, InvalidSettings, Settings, Turnfold, Unavailable
from turnfold.contract.server_urls import without_password
from turnfold.database.engines import connect, database
from turnfold.redis.connections import connect as connect_redis

EXAMPLES: dict[str, tuple[str, object]] = {
    "redis_url": ("redis://cache:6380/2", "redis://cache:6380/2"),
    "database_url": ("postgresql+psycopg://db/turnfold", "postgresql+psycopg://db/turnfold"),
    "database_pooler": ("on", True),
    "read_database_url": ("postgresql+psycopg://replica/turnfold", "postgresql+psycopg://replica/turnfold"),
    "cells": ("/etc/turnfold/cells.toml", "/etc/turnfold/cells.toml"),
    "cell": ("", ""),  # with a file of cells only: tests/unit/sdk/test_cells.py
    "tenant": ("acme", "acme"),
    "shards": ("64", 64),
    "broker_url": ("redis://broker:6379/1", "redis://broker:6379/1"),
    "doorbell": ("off", False),
    "celery_doorbell": ("on", True),
    "timeout_seconds": ("0.5", 0.5),
    "max_turn_bytes": ("2097152", 2_097_152),
    "max_inbox_turns": ("50", 50),
    "max_inbox_bytes": ("33554432", 33_554_432),
    "tenant_turns_a_day": ("1000", 1_000),
    "tenant_bytes_a_day": ("1000000", 1_000_000),
    "tenant_stored_bytes": ("5000000", 5_000_000),
    "redactor": ("acme", "acme"),
    "reads_without_redis": ("on", True),
    "reference_seconds": ("60", 60),
    "embedding_model": ("/srv/models/mini", "/srv/models/mini"),
}


def test_a_pooler_before_sqlite_is_refused() -> None:
    with pytest.raises(InvalidSettings, match=r"TURNFOLD_DATABASE_POOLER is on, .* SQLite"):
        Settings(database_url="sqlite:///turnfold.db", database_pooler=True)


@pytest.mark.parametrize("again", ["redis://cache/0", "redis://cache:6379", "redis://:secret@CACHE/"])
def test_a_redis_that_is_listed_twice_is_refused(again: str) -> None:
    with pytest.raises(InvalidSettings, match="TURNFOLD_REDIS_URL lists a server twice") as raised:
        Settings(redis_url=f"redis://cache:6379/0,redis://other/0,{again}")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "urls",
    [
        "redis://cache/0,redis://cache/1", "redis://cache,redis://cache:6380", "unix:///a.sock,unix:///b.sock",
        "redis+cluster://a:1,b:2,redis://a:1", "redis://cache:port,redis://cache:gate",
    ],
)  # fmt: skip
def test_servers_that_differ_are_listed(urls: str) -> None:
    assert Settings(redis_url=urls).redis_url == urls


@pytest.mark.parametrize(
    ("database", "replica"),
    [
        ("postgresql://db/turnfold", "sqlite:///turnfold.db"), ("sqlite:///turnfold.db", "postgresql://db/turnfold"),
        ("postgresql://db/turnfold", "sqlite://"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_replica_is_refused(database: str, replica: str) -> None:
    with pytest.raises(InvalidSettings, match=r"TURNFOLD_READ_DATABASE_URL names .*: name a replica"):
        Settings(database_url=database, read_database_url=replica)


def test_a_replica_may_be_reached_by_another_name_of_the_driver() -> None:
    url = "postgresql://replica/turnfold"
    assert Settings(database_url="postgresql+psycopg://db/turnfold", read_database_url=url).read_database_url == url


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("replica", "is not a database URL"),
        ("postgresql://me:pass@word@host:port/db", "has a port that is not a number"),
        ("postgresql+pg8000://host/db", "names an unsupported database"),
    ],
)
def test_a_bad_replica_is_named_as_the_replica(url: str, message: str) -> None:
    settings = Settings(database_url="postgresql://db/turnfold", read_database_url=url)
    with pytest.raises(InvalidSettings, match=f"TURNFOLD_READ_DATABASE_URL {message}"):
        database(settings, write=False, replica=True)
    with pytest.raises(InvalidSettings, match=f"TURNFOLD_DATABASE_URL {message}"):
        database(Settings(database_url=url), write=False)


def test_every_setting_has_an_example_here() -> None:
    assert set(EXAMPLES) == {field.name for field in fields(Settings)}


@pytest.mark.parametrize(
    "url",
    [
        "redis://user:hidden@h:1/0", "redis://:hidden@h/0", "postgresql+psycopg://u:hid/den@h/db",
        "postgresql+psycopg://h/db?user=u&password=hidden", "redis://hidden@h/0", "postgresql://u:a@hidden@h/db",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["redis_url", "database_url", "broker_url"])
def test_no_password_is_shown(name: str, url: str) -> None:
    settings = Settings(**{name: url}) if "/den" not in url else Settings(**{name: url.replace("/den", "%2Fden")})
    assert "hid" not in repr(settings)
    assert f"{name}=" in repr(settings)
    assert "tenant='default'" in repr(settings)


@pytest.mark.parametrize("name", ["redis_url", "database_url", "read_database_url"])
@pytest.mark.parametrize("url", ["rediss//:hidden@h", "postgres//u:hid/den@h/db", "hidden@h", "h/db?password=hidden"])
def test_no_password_is_shown_of_a_url_without_its_colon(name: str, url: str) -> None:
    shown = repr(Settings(**{name: url}))
    assert "hid" not in shown
    assert f"{name}='h" in shown


def test_an_address_as_a_tenant_is_shown_whole() -> None:
    assert "tenant='ana@example.org'" in repr(Settings(tenant="ana@example.org"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_variable_is_read(name: str) -> None:
    text, value = EXAMPLES[name]
    on_postgresql = name in {"database_pooler", "read_database_url"}
    environment = {"TURNFOLD_DATABASE_URL": "postgresql+psycopg://db/turnfold"} if on_postgresql else {}
    environment[f"TURNFOLD_{name.upper()}"] = text
    assert getattr(Settings.from_env(environment), name) == value


def test_without_variables_the_defaults_hold() -> None:
    assert Settings.from_env({}) == Settings()
    assert Settings.from_env({f"TURNFOLD_{name.upper()}": "" for name in EXAMPLES}) == Settings()


def test_the_environment_is_read_when_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNFOLD_TENANT", "acme")
    assert Settings.from_env().tenant == "acme"
    assert Turnfold.from_env().tenant == "acme"
    assert AsyncTurnfold.from_env().tenant == "acme"


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("TURNFOLD_DATABASE_URL", "sqlite://"),
        ("TURNFOLD_DATABASE_URL", "sqlite:///"),
        ("TURNFOLD_DATABASE_URL", "sqlite+pysqlite:///:memory:?cache=shared"),
        ("TURNFOLD_TENANT", "a\tb"),
        ("TURNFOLD_TENANT", "a" * 201),
        ("TURNFOLD_DOORBELL", "maybe"),
        ("TURNFOLD_TIMEOUT_SECONDS", "soon"),
        ("TURNFOLD_TIMEOUT_SECONDS", "0"),
        ("TURNFOLD_TIMEOUT_SECONDS", "-1"),
        ("TURNFOLD_TIMEOUT_SECONDS", "601"),
        ("TURNFOLD_TIMEOUT_SECONDS", "nan"),
        ("TURNFOLD_TIMEOUT_SECONDS", "inf"),
        ("TURNFOLD_MAX_TURN_BYTES", "1e6"),
        ("TURNFOLD_MAX_TURN_BYTES", "1023"),
        ("TURNFOLD_MAX_TURN_BYTES", "16777217"),
        ("TURNFOLD_MAX_INBOX_TURNS", "many"),
        ("TURNFOLD_MAX_INBOX_TURNS", "0"),
        ("TURNFOLD_MAX_INBOX_TURNS", "9007199254740993"),
        ("TURNFOLD_MAX_INBOX_BYTES", "9007199254740993"),
        ("TURNFOLD_TENANT_TURNS_A_DAY", "9007199254740993"),
        ("TURNFOLD_TENANT_BYTES_A_DAY", "9007199254740993"),
        ("TURNFOLD_TENANT_STORED_BYTES", "9007199254740993"),
        ("TURNFOLD_TENANT_STORED_BYTES", "-1"),
        ("TURNFOLD_REFERENCE_SECONDS", "0"),
        ("TURNFOLD_REFERENCE_SECONDS", "2592001"),
        ("TURNFOLD_BROKER_URL", "redis"),
        ("TURNFOLD_BROKER_URL", "10.0.0.5:6379"),
    ],
)
def test_a_bad_value_is_refused_and_its_variable_named(variable: str, text: str) -> None:
    with pytest.raises(InvalidInput, match=variable):
        Settings.from_env({variable: text})


@pytest.mark.parametrize(
    ("text", "wanted"), [("1", True), ("true", True), (" YES ", True), ("on", True), ("0", False), ("No", False)]
)
def test_flags_are_read_as_people_write_them(text: str, *, wanted: bool) -> None:
    assert Settings.from_env({"TURNFOLD_DOORBELL": text}).doorbell is wanted


def test_celerys_doorbell_is_refused_where_celery_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnfold.settings.find_spec", lambda name: None)
    assert Settings().doorbell
    with pytest.raises(InvalidSettings, match=r"TURNFOLD_CELERY_DOORBELL.*pip install 'turnfold\[celery\]'"):
        Settings(celery_doorbell=True)


def test_the_broker_is_the_redis_of_the_inboxes_unless_another_is_named() -> None:
    assert Settings(redis_url="redis://one").effective_broker_url == "redis://one"
    assert Settings(redis_url="redis://one", broker_url="redis://two").effective_broker_url == "redis://two"


def test_a_redis_behind_a_file_is_named_to_celery_as_celery_names_it() -> None:
    url = "unix://:secret@/run/redis.sock?db=3"
    assert Settings(redis_url=url).effective_broker_url == "redis+socket://:secret@/run/redis.sock?virtual_host=3"


def test_a_redis_behind_a_file_is_asked_as_any_other(tmp_path: Path) -> None:
    with Turnfold(redis_url=f"unix://{tmp_path}/redis.sock") as tf, pytest.raises(Unavailable, match="did not answer"):
        tf.append("c", {"role": "user", "content": "Hi."})


@pytest.mark.parametrize(
    ("variable", "text", "wanted"),
    [
        ("TURNFOLD_MAX_TURN_BYTES", "1MB", "must be a whole number, not '1MB'"),
        ("TURNFOLD_TIMEOUT_SECONDS", "5s", "must be a number, not '5s'"),
        ("TURNFOLD_DOORBELL", "maybe", "must be on or off, not 'maybe'"),
    ],
)
def test_a_value_that_cannot_be_read_is_refused_with_what_is_wanted(variable: str, text: str, wanted: str) -> None:
    with pytest.raises(InvalidSettings, match=f"^{variable} {wanted}$"):
        Settings.from_env({variable: text})


def test_settings_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().tenant = "other"  # type: ignore[misc]  # deliberately mutated


def test_an_unknown_setting_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidSettings, match=r"'redis'.*redis_url, database_url"):
        Turnfold(redis="redis://localhost")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("redis_url", None), ("redis_url", 6379), ("database_url", None), ("tenant", 5), ("timeout_seconds", "5"),
        ("timeout_seconds", True), ("max_turn_bytes", 1e6), ("doorbell", 1), ("reference_seconds", None),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(InvalidSettings, match=f"TURNFOLD_{name.upper()}.*not {type(value).__name__}"):
        Turnfold(**{name: value})


def test_settings_and_single_values_are_not_mixed() -> None:
    with pytest.raises(InvalidSettings, match="not both"):
        Turnfold(settings=Settings(), tenant="acme")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("postgresql://me:se@cret@host:port/db", "a port that is not a number: .* %40"),
        ("postgresql://me:a@b:secret@host:5432/db", "a port that is not a number: .* %40"),
        (
            "postgresql+psycopg2://me:secret@host/db",
            r"names an unsupported database, postgresql\+psycopg2: use .* postgresql\+psycopg://",
        ),
        ("postgres://me:secret@host/db", r"names an unsupported database, postgres: use .* postgresql\+psycopg://"),
    ],
)
def test_a_database_url_that_cannot_be_used_says_which_can_and_tells_no_password(url: str, says: str) -> None:
    with pytest.raises(InvalidSettings, match=says) as raised:
        connect(url, write=False, timeout_seconds=1)

    assert "cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("redis://me:secret/more@host:6379/0", "its port is not a number: write /, .* as %2F"),
        ("redis://host:99999", "Port out of range"),
        ("http://host", "redis://host:port/0, rediss://… or unix://…"),
        ("redis+cluster://:secret@a:1,b:2/3", "a cluster .* or with a database other than 0"),
        ("redis+cluster://:secret@a:1,", "a cluster without a valid list of servers"),
        ("redis+cluster://:secret@127.0.0.1:1?socket_timeout=soon", "socket_timeout"),
        ("redis://:secret@host/0?colour=red", "an option unknown to redis-py"),
        ("redis://:secret@host/0?socket_timeout=soon", "socket_timeout"),
    ],
)
def test_a_redis_url_that_cannot_be_used_says_why_and_tells_no_password(url: str, says: str) -> None:
    with pytest.raises(InvalidSettings, match=says) as raised:
        connect_redis(url, timeout_seconds=1)

    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("redis://:secret@host:6379/0?password=secret", "redis://host:6379/0?password=***"),
        ("redis://:a/b?c#d@e@host:6379/0", "redis://host:6379/0"),
        ("postgresql+psycopg://me:a/b@host/db?sslmode=require", "postgresql+psycopg://host/db?sslmode=require"),
        ("unix://me:secret@/run/redis.sock", "unix:///run/redis.sock"),
        ("redis://127.0.0.1:6379/0", "redis://127.0.0.1:6379/0"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown
