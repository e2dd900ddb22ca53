"""Titles of conversations are stored, listed and exported, but used neither in folds nor in contexts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conftest import LocalWorker
from turnfold import Turnfold
from turnfold.contract.tasks import JobKind
from turnfold_worker.cli import main

Run = Callable[..., Result]

QUESTION = "We decided to fly to Lisbon on 3 May 2026, and the budget is 2,000 euros."
EXPORT = [
    {
        "title": "Trip to  Lisbon",
        "conversation_id": "conv-1",
        "current_node": "b",
        "mapping": {
            "a": {"message": {"id": "1", "author": {"role": "user"}, "content": {"parts": [QUESTION]}}},
            "b": {
                "parent": "a",
                "message": {"id": "2", "author": {"role": "assistant"}, "content": {"parts": ["I'll book it."]}},
            },
        },
    },
    {
        "title": None,
        "conversation_id": "conv-2",
        "mapping": {"a": {"message": {"id": "3", "author": {"role": "user"}, "content": {"parts": ["Hello."]}}}},
    },
]


@pytest.fixture
def export(tmp_path: Path) -> Path:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(EXPORT), encoding="utf-8")
    return file


@pytest.fixture
def run(redis_url: str, database_url: str) -> Run:
    def invoke(*arguments: object) -> Result:
        servers = ("--redis-url", redis_url, "--database-url", database_url, "--tenant", "acme")
        result = CliRunner().invoke(main, [*servers, *map(str, arguments)])
        assert result.exit_code == 0, result.output
        return result

    return invoke


def titles(tf: Turnfold) -> dict[str, str | None]:
    return {one.conversation_id: one.title for one in tf.conversations()}


def test_an_import_keeps_the_titles_of_a_chatgpt_export_and_list_shows_them(
    export: Path, run: Run, tf: Turnfold, local: LocalWorker
) -> None:
    run("import", export)
    local.fold()

    assert titles(tf) == {"conv-1": "Trip to Lisbon", "conv-2": None}
    assert "Trip to Lisbon" in run("list").output
    listed = json.loads(run("list", "--json").stdout)["conversations"]
    assert [one["title"] for one in listed] == ["Trip to Lisbon", None]
    assert "Trip" not in tf.context("conv-1", budget_tokens=2_000).text


def test_importing_again_changes_nothing_not_even_a_title_that_people_gave(
    export: Path, run: Run, tf: Turnfold, local: LocalWorker
) -> None:
    run("import", export)
    local.fold()
    tf.configure("conv-1", title="Lisbon, May")
    local.fold()
    before = local.digest("conv-1")

    run("import", export)
    local.fold()

    assert titles(tf)["conv-1"] == "Lisbon, May"
    assert local.digest("conv-1") == before


def test_a_fold_without_servers_has_the_digest_of_the_import(export: Path, run: Run, local: LocalWorker) -> None:
    run("import", export)
    local.fold()
    offline = json.loads(run("fold", export, "--conversation", "conv-1", "--json").stdout)
    assert offline["digest"] == local.digest("conv-1")


def test_an_archive_takes_the_title_along(tf: Turnfold, local: LocalWorker, run: Run, tmp_path: Path) -> None:
    tf.append("c", {"role": "user", "content": QUESTION})
    tf.configure("c", title="Trip")
    local.fold()
    (tmp_path / "c.jsonl").write_bytes(tf.export("c"))
    run("import", tmp_path / "c.jsonl", "--conversation", "d")
    assert titles(tf) == {"c": "Trip", "d": "Trip"}


def test_a_title_hurries_no_fold(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
    local = make_worker(fold_turns=8, fold_idle_seconds=3_600.0)
    turn: dict[str, Any] = {"role": "user", "content": "Good morning to you all."}
    tf.append("c", turn)
    tf.configure("c", title="Morning")
    local.drain()
    assert not local.worker.store.has_due(JobKind.COMPRESS)
    tf.configure("c", goal="Sell tickets.")
    local.drain()
    assert local.worker.store.has_due(JobKind.COMPRESS)


def test_a_repeat_of_an_operation_changes_nothing(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", {"role": "user", "content": QUESTION})
    for title in ("One", "Two"):
        tf.configure("c", title=title, operation_id="first")
    local.fold()
    assert titles(tf) == {"c": "One"}
