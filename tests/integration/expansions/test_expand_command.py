"""`turnfold expand` of more turns than fit into one answer."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from conftest import LocalWorker
from turnfold import Turnfold
from turnfold_worker.cli import main


@pytest.mark.parametrize(
    ("limit", "said"),
    [((), "truncated; continue with L0:turns-201-230\n"), (("--max-tokens", "50"), "truncated at 50 tokens; continue")],
)
def test_what_was_cut_says_how_to_go_on(
    tf: Turnfold, local: LocalWorker, redis_url: str, database_url: str, limit: tuple[str, ...], said: str
) -> None:
    tf.append("c", [{"role": "user", "content": f"Turn {number}."} for number in range(1, 231)])
    local.settle()
    servers = ("--redis-url", redis_url, "--database-url", database_url, "--tenant", "acme")
    shown = CliRunner().invoke(main, [*servers, "expand", "c", "L0:turns-1-230", *limit])
    assert shown.exit_code == 0
    assert said in shown.stderr


def test_a_marker_with_other_words_is_refused_and_the_right_one_named(
    tf: Turnfold, local: LocalWorker, redis_url: str, database_url: str
) -> None:
    tf.append("c", [{"role": "user", "content": f"The lease of shed {number} ends in May."} for number in range(1, 60)])
    local.settle()
    servers = ("--redis-url", redis_url, "--database-url", database_url, "--tenant", "acme")
    refused = CliRunner().invoke(main, [*servers, "expand", "c", "L1:nope-1"])
    assert refused.exit_code == 1
    assert "'L1:nope-1' names no segment: its number belongs to L1:" in refused.stderr
