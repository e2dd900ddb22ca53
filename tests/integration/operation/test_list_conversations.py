"""`turnfold list` shows the conversations of one tenant, a page at a time."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conftest import LocalWorker
from turnfold import Turnfold
from turnfold_worker.cli import main

TENANT = "acme"
"""Tenant of the fixture's client."""
NAMES = ["b", "a", "Ä/ö:*?[x]", "c d", "%_"]


@pytest.fixture
def stored(tf: Turnfold, local: LocalWorker) -> Turnfold:
    for name in NAMES:
        tf.append(name, [{"role": "user", "content": f"We must keep {name}."}] * 2)
    tf.for_tenant("other").append("theirs", {"role": "user", "content": "Ours alone."})
    local.settle()
    return tf


@pytest.fixture
def listed(redis_url: str, database_url: str) -> Any:
    def run(*arguments: str, tenant: str) -> Result:
        servers = ("--redis-url", redis_url, "--database-url", database_url, "--tenant", tenant)
        return CliRunner().invoke(main, [*servers, "list", *arguments])

    return run


def test_pages_hold_each_conversation_of_the_tenant_once_and_no_other(stored: Turnfold, listed: Any) -> None:
    names: list[str] = []
    after = ""
    while after is not None:
        page = json.loads(listed("--json", "--limit", "2", "--after", after, tenant=TENANT).stdout)
        names += [one["conversation_id"] for one in page["conversations"]]
        assert all((one["turns"], one["folded"]) == (2, 2) for one in page["conversations"])
        after = page["after"]
    assert sorted(names) == sorted(NAMES)
    assert len(json.loads(listed("--json", tenant="other").stdout)["conversations"]) == 1


def test_a_person_sees_a_table_and_how_to_go_on(stored: Turnfold, listed: Any) -> None:
    shown = listed("--limit", "4", tenant=TENANT)
    assert shown.stdout.splitlines()[0].split() == [
        "conversation",
        "turns",
        "in",
        "segments",
        "open",
        "anchors",
        "changed",
        "(UTC)",
    ]
    assert "more: turnfold list --after " in shown.stderr
    assert "has no stored conversations" in listed(tenant="nobody").stderr


def test_what_was_forgotten_is_gone_before_its_rows_are(stored: Turnfold, listed: Any) -> None:
    stored.forget("b", timeout_seconds=0)
    names = [one["conversation_id"] for one in json.loads(listed("--json", tenant=TENANT).stdout)["conversations"]]
    assert "b" not in names
    assert len(names) == len(NAMES) - 1


def test_words_that_no_database_takes_are_looked_for_as_they_are_stored(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", {"role": "user", "content": "We must keep it."})
    tf.configure("c", title="half \0 of it")
    local.settle()
    assert [found.conversation_id for found in tf.conversations(containing="HALF \0")] == ["c"]
    assert [found.conversation_id for found in tf.conversations(containing="\ud800 OF")] == ["c"]
    assert tf.conversations(containing="of \ud800") == []
