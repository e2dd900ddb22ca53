"""Operators manage keys with `turnfold keys`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import text

from turnfold import Settings
from turnfold.database.engines import connect
from turnfold_gateway.cli import main
from turnfold_gateway.keys.audit import AuditLog
from turnfold_gateway.keys.store import KeyStore


@pytest.fixture
def variables(sqlite_url: str) -> dict[str, str]:
    return {"TURNFOLD_DATABASE_URL": sqlite_url, "TURNFOLD_TENANT": "acme"}


def run(variables: dict[str, str], *arguments: str) -> Result:
    return CliRunner().invoke(main, ["keys", *arguments], env=variables)


def test_a_key_is_shown_once_and_stored_by_its_hash(variables: dict[str, str], sqlite_url: str) -> None:
    made = json.loads(run(variables, "create", "--name", "chat", "--scope", "read", "--json").stdout)
    listed = run(variables, "list", "--json").stdout
    engine = connect(sqlite_url, write=False, timeout_seconds=5)
    with engine.connect() as connection:
        rows = str(connection.execute(text("SELECT * FROM api_key")).all())
    engine.dispose()

    assert (made["tenant"], made["scopes"]) == ("acme", ["read"])
    secret = made["key"].split("_", 2)[2]
    assert (len(secret), secret in listed, secret in rows) == (43, False, False)
    assert [key["id"] for key in json.loads(listed)] == [made["id"]]


def test_keys_of_other_tenants_are_listed_only_when_asked_for(variables: dict[str, str]) -> None:
    run({**variables, "TURNFOLD_TENANT": "other"}, "create", "--name", "theirs")

    assert json.loads(run(variables, "list", "--json").stdout) == []
    assert len(json.loads(run(variables, "list", "--all", "--json").stdout)) == 1


def test_a_key_is_revoked_and_one_that_is_not_there_is_said_to_be_none(variables: dict[str, str]) -> None:
    key_id = json.loads(run(variables, "create", "--name", "chat", "--json").stdout)["id"]
    revoked, again, unknown = (run(variables, "revoke", name) for name in (key_id, key_id, "nothing"))

    assert (revoked.exit_code, again.exit_code, unknown.exit_code) == (0, 0, 1)
    assert "revoked" in run(variables, "list").stdout
    assert "turnfold keys list --all" in unknown.output


def test_the_audit_log_is_listed(variables: dict[str, str], sqlite_url: str) -> None:
    store = KeyStore(Settings(database_url=sqlite_url))
    AuditLog(store).note("acme", "0123456789ab", "forgetConversation", "talk", status=200)
    AuditLog(store).note("other", "0123456789ab", "forgetConversation", "talk", status=200)
    store.close()

    entries = json.loads(run(variables, "audit", "--conversation", "talk", "--json").stdout)

    assert [(entry["tenant"], entry["action"]) for entry in entries] == [("acme", "forgetConversation")]
    assert "talk" not in run(variables, "audit").stdout


def test_without_a_database_the_remedy_is_named(variables: dict[str, str]) -> None:
    refused = run({**variables, "TURNFOLD_DATABASE_URL": "sqlite:////nowhere/t.db"}, "list")

    assert refused.exit_code == 3
    assert "turnfold migrate" in refused.output
