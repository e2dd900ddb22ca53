"""The pages of `turnfold inspect` together are the whole tree; each has the chapters above its segments."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import LocalWorker
from support.talk import talk
from turnfold import Settings, Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.records import FAN_OUT
from turnfold.database.reader import Reader
from turnfold_worker.cli import main
from turnfold_worker.operate.inspection import Branch, Inspection, inspect_conversation

pytestmark = pytest.mark.daily_on("sqlite")


@pytest.fixture
def reader(tf: Turnfold, local: LocalWorker) -> Reader:
    """A conversation with chapters and with turns outside any segment."""
    tf.configure("c", settings={"segment_max_turns": 6, "segment_min_turns": 4})
    tf.append("c", talk("c", 90))
    local.settle()
    return Reader(local.engine)


def segments_of(inspection: Inspection) -> list[Branch]:
    return [branch for root in inspection.branches for branch in root.walk() if branch.node.height == 0]


@pytest.mark.parametrize("limit", [1, 3, FAN_OUT, FAN_OUT + 1])
def test_pages_together_are_the_whole_tree(reader: Reader, limit: int) -> None:
    whole = inspect_conversation(reader, Address("acme", "c"))
    assert whole.next_turn is None
    assert any(branch.node.height for branch in whole.branches)
    pages, first_turn = [], 1
    while first_turn is not None:
        page = inspect_conversation(reader, Address("acme", "c"), first_turn=first_turn, limit=limit)
        assert 0 < len(segments_of(page)) <= limit
        for root in page.branches:
            expected = FAN_OUT**root.node.height
            held = {branch.node.idx for branch in root.walk() if branch.node.height == 0}
            assert held <= set(range(root.node.idx * expected, (root.node.idx + 1) * expected))
        pages.append(page)
        first_turn = page.next_turn
    assert [branch for page in pages for branch in segments_of(page)] == segments_of(whole)
    assert [anchor for page in pages for anchor in page.anchors] == list(whole.anchors)
    assert whole.anchors


def test_the_command_shows_a_page_and_says_how_to_go_on(reader: Reader, settings: Settings) -> None:
    def run(*arguments: str) -> Any:
        return CliRunner().invoke(
            main,
            ["--redis-url", settings.redis_url, "--database-url", settings.database_url, "--tenant", "acme", "inspect",
             "c", *arguments],
        )  # fmt: skip

    page = json.loads(run("--limit", "2", "--json").stdout)
    assert page["next_turn"] == inspect_conversation(reader, Address("acme", "c"), limit=2).next_turn
    first = run("--limit", "2")
    assert f"there are more: --first-turn {page['next_turn']}" in first.stderr
    assert "open tail" not in first.stdout
    rest = run("--first-turn", str(page["next_turn"]))
    assert rest.exit_code == 0
    assert "there are more" not in rest.stderr
    assert "open tail" in rest.stdout
    assert run("--limit", "0").exit_code == 2
