"""Where a setting allows it, reads come from SQL alone while Redis does not answer, and state that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conftest import workers_of
from turnfold import Turnfold
from turnfold.errors import Unavailable
from turnfold.settings import Settings
from turnfold_worker.local.redis_server import RedisServer


@pytest.fixture
def lost(redis_program: None, server_folder: Path, database_url: str) -> Settings:
    """Settings of a conversation with 20 stored turns and one waiting, whose Redis is gone."""
    with RedisServer(server_folder) as server, workers_of(server.url, database_url) as make_worker:
        settings = Settings(
            redis_url=server.url, database_url=database_url, tenant="acme", doorbell=False, timeout_seconds=1.0
        )
        with Turnfold(settings=settings) as tf:
            tf.append("c", [{"role": "user", "content": f"We keep box {n}."} for n in range(20)])
            make_worker().settle()
            tf.append("c", {"role": "user", "content": "This one waits."})
            assert "This one waits." in tf.context("c", budget_tokens=500).text
    return settings


def test_reads_fail_unless_they_are_allowed_to_do_without(lost: Settings) -> None:
    with Turnfold(settings=lost) as tf, pytest.raises(Unavailable, match="Redis"):
        tf.context("c", budget_tokens=500)


def test_reads_are_made_from_sql_alone_and_marked(lost: Settings) -> None:
    with Turnfold(settings=replace(lost, reads_without_redis=True)) as tf:
        context = tf.context("c", budget_tokens=500)
        assert context.report.degraded
        assert "We keep box 19." in context.text
        assert "This one waits." not in context.text
        assert tf.context("c", budget_tokens=500, query="box 7").report.degraded
        assert [turn.seq for turn in tf.turns("c")] == list(range(1, 21))
        assert tf.search("c", "box 7")
        assert tf.status("c").stored == 20
        assert [listed.conversation_id for listed in tf.conversations()] == ["c"]
        assert tf.expand("c", "L0:turn-3").text
        # Writes need Redis.
        with pytest.raises(Unavailable):
            tf.append("c", {"role": "user", "content": "Lost?"})


def test_a_wrong_password_is_no_redis_that_is_away(redis_program: None, server_folder: Path, database_url: str) -> None:
    with RedisServer(server_folder, password="right") as server:
        settings = Settings(redis_url=server.url.replace(":right@", ":wrong@"), database_url=database_url)
        with (
            Turnfold(settings=replace(settings, reads_without_redis=True)) as tf,
            pytest.raises(Unavailable, match="rejected the user or password"),
        ):
            tf.context("c", budget_tokens=500)


def test_what_redis_answers_is_not_degraded(tf: Turnfold) -> None:
    tf.append("c", {"role": "user", "content": "Hello."})
    assert not tf.context("c", budget_tokens=500).report.degraded
