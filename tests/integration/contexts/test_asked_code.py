"""A code block that a query asks for is shown whole, or named with the marker that expands it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import LocalWorker
from support.examples import examples
from turnfold import Turnfold
from turnfold.tokens import estimate_tokens
from turnfold_worker.offline import FoldedConversation, fold

FILLER = "We went through the seating plan of the hall once more, and nobody minded the draught at table {n}."
NGINX = (
    "```nginx\nserver {{\n    listen 80;\n\n    location /api/ {{\n        proxy_pass http://127.0.0.1:{port};\n"
    "    }}\n}}\n```"
)
ORDERS = "```sql\nCREATE TABLE orders (\n    id BIGINT PRIMARY KEY,\n    total_cents INTEGER NOT NULL\n);\n```"
LONG = "```python\ndef seed_ledger(rows):\n" + "".join(f"    rows.append({n} * 17)\n" for n in range(400)) + "```"


def _turns() -> Iterator[dict[str, Any]]:
    asked = {
        4: ("How should the proxy look?", f"Here is the configuration:\n{NGINX.format(port=8080)}\nReload after it."),
        20: ("And the table for orders?", f"It needs two columns:\n\n{ORDERS}\n\nMore can come later."),
        36: ("The service moved.", f"Then this changes:\n{NGINX.format(port=9000)}\nThat is all."),
        50: ("How is the ledger seeded?", f"With this script:\n{LONG}"),
    }
    for n in range(90):
        question, answer = asked.get(n, (FILLER.format(n=n), f"Noted. {FILLER.format(n=n + 7)}"))
        yield {"role": "user", "content": question}
        yield {"role": "assistant", "content": answer}


@pytest.fixture(scope="module")
def folded() -> Iterator[FoldedConversation]:
    with fold(_turns()) as conversation:
        yield conversation


@pytest.mark.parametrize("budget", [600, 1_000, 2_000, 4_000])
@pytest.mark.parametrize(
    ("query", "block"),
    [
        ("show me that nginx config again", NGINX.format(port=9000)),
        ("what was the first version of the nginx config?", NGINX.format(port=8080)),
        ("the SQL for the orders table", ORDERS),
        ("Where does total_cents stand?", ORDERS),
    ],
)
def test_a_block_that_is_asked_for_stands_whole(
    folded: FoldedConversation, query: str, block: str, budget: int
) -> None:
    context = folded.context(budget_tokens=budget, query=query)
    assert block in context.text
    assert context.tokens <= budget


def test_a_block_that_does_not_fit_is_named_with_its_marker(folded: FoldedConversation) -> None:
    context = folded.context(budget_tokens=1_000, query="show me the script that seeds the ledger")
    named = next(line for line in context.text.splitlines() if "python, 401 lines, with seed_ledger" in line)
    assert named.endswith("[… →L0:turn-102]")
    assert "L0:turn-102" in context.markers
    assert LONG in folded.expand("L0:turn-102").text
    assert "rows.append(399 * 17)" in folded.context(budget_tokens=16_000, query="show me the ledger script").text


def test_a_later_version_is_shown_that_only_the_words_about_an_earlier_one_name() -> None:
    filled = "```sql\nINSERT INTO berths (id, quay, used)\nVALUES ($1, '{quay}', now());\n```"
    asked = [
        {"role": "user", "content": "Something to refill the list, please."},
        {"role": "assistant", "content": filled.format(quay="north")},
        {"role": "user", "content": "Not that side."},
        {"role": "assistant", "content": filled.format(quay="south")},
    ]
    with fold([*asked, *_turns()]) as conversation:
        text = conversation.context(budget_tokens=1_000, query="show me the refill statement").text
    assert filled.format(quay="south") in text
    assert "'north'" not in text


def test_a_question_about_something_else_brings_no_code(folded: FoldedConversation) -> None:
    assert "```" not in folded.context(budget_tokens=1_000, query="What was said of the draught at table 12?").text


def test_a_block_of_the_open_tail_is_found() -> None:
    turns = [*_turns()][:90]
    turns[84] = {"role": "assistant", "content": f"Here:\n{ORDERS}"}
    with fold(turns) as conversation:
        assert conversation.status().closed < 85
        assert ORDERS in conversation.context(budget_tokens=800, query="paste the orders SQL again").text


@given(st.integers(120, 3_000), st.sampled_from(["show me the nginx config", "paste seed_ledger", "the orders table"]))
@examples(60)
def test_no_budget_is_exceeded_and_no_fence_is_cut(folded: FoldedConversation, budget: int, query: str) -> None:
    context = folded.context(budget_tokens=budget, query=query, count_tokens=estimate_tokens)
    assert context.tokens <= budget
    assert estimate_tokens(context.text) <= budget
    blocks = (NGINX.format(port=9000), NGINX.format(port=8080), ORDERS, LONG)
    assert context.text.count("```") == 2 * sum(map(context.text.count, blocks))


def test_words_that_were_edited_or_deleted_are_not_shown(tf: Turnfold, local: LocalWorker) -> None:
    turns = [dict(turn, turn_id=f"t{seq}") for seq, turn in enumerate(_turns(), 1)]
    tf.append("c", turns[:100])
    local.settle()
    query = "show me the orders SQL again"
    assert ORDERS in tf.context("c", budget_tokens=1_000, query=query).text
    tf.edit("c", "t42", content="Nothing is needed.")
    assert ORDERS not in tf.context("c", budget_tokens=1_000, query=query).text
    local.settle()
    assert ORDERS not in tf.context("c", budget_tokens=1_000, query=query).text
