"""A context or search limited to some speakers or origins contains no words of the others."""

from __future__ import annotations

from typing import Any

import pytest

from conftest import LocalWorker
from turnfold import Turnfold
from turnfold.contract.records import Origin
from turnfold.errors import InvalidInput

pytestmark = pytest.mark.daily_on("sqlite")

MAIL = "Here is the mail from the landlord:\n\nFrom: Otto <otto@example.org>\nSubject: Rent\n\nThe rent rises to 940."
SECRETS = {
    "ana": "We keep the boat in Marstal.",
    "tom": "My locker number is 5521.",
    "assistant": "The harbour office in Aalborg answers on Mondays.",
    "tool": "berth 12 is free",
    "outside": "The rent rises to 940.",
    "page": "Berths in Skagen cost 310 a night.",
}
OF = {
    "user": ("ana", "tom"), "assistant": ("assistant",), "tool": ("tool",), "outside": ("outside", "page"),
}  # fmt: skip


def call(name: str, id_: str) -> dict[str, Any]:
    function = {"name": name, "arguments": "{}"}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": id_, "type": "function", "function": function}]}


def talk() -> list[dict[str, Any]]:
    small = [
        {"role": "user", "name": name, "content": f"Line {i}: {name} counted the lamps of deck {i} and found {i + 3}."}
        for i in range(60)
        for name in ("Ana", "Tom")
    ]
    return [
        {"role": "user", "name": "Ana", "content": SECRETS["ana"]},
        {"role": "user", "name": "Tom", "content": SECRETS["tom"]},
        {"role": "assistant", "content": SECRETS["assistant"]},
        call("find_berth", "c1"),
        {"role": "tool", "tool_call_id": "c1", "content": SECRETS["tool"]},
        call("web_fetch", "c2"),
        {"role": "tool", "tool_call_id": "c2", "content": SECRETS["page"]},
        {"role": "user", "name": "Ana", "content": MAIL},
        *small,
    ]


@pytest.fixture
def folded(tf: Turnfold, local: LocalWorker) -> Turnfold:
    tf.append("c", talk())
    local.settle()
    return tf


@pytest.mark.parametrize("query", [False, None, "rent boat locker berth harbour Skagen landlord"])
@pytest.mark.parametrize("origin", [*map(str, Origin)])
def test_a_context_of_one_origin_holds_its_words_alone(folded: Turnfold, origin: str, query: Any) -> None:
    context = folded.context("c", budget_tokens=1_500, query=query, origins=[origin])

    shown = {who for who, words in SECRETS.items() if words.rstrip(".") in context.text}
    allowed = set(OF[origin])
    # A mail quoted in a user's turn is not shown on its own.
    assert shown <= allowed
    assert not query or shown & allowed
    assert context.tokens <= 1_500


def test_a_context_of_one_speaker_holds_nothing_of_another(folded: Turnfold) -> None:
    context = folded.context("c", budget_tokens=1_500, query="What about the boat and the locker?", speakers=["Tom"])

    assert SECRETS["tom"].rstrip(".") in context.text
    assert "Tom counted" in context.text
    assert "Ana counted" not in context.text
    assert not [who for who, words in SECRETS.items() if who != "tom" and words.rstrip(".") in context.text]


def test_what_waits_is_chosen_like_what_is_folded(folded: Turnfold) -> None:
    folded.append("c", [
        {"role": "user", "name": "Ana", "content": "The anchor weighs 61 kilos."},
        {"role": "user", "name": "Tom", "content": "The mast is 14 metres high."},
    ])  # fmt: skip

    text = folded.context("c", budget_tokens=1_500, speakers=["Ana"]).text

    assert "61 kilos" in text
    assert "14 metres" not in text


def test_pasted_words_stand_under_nobodys_own_name(folded: Turnfold) -> None:
    text = folded.context("c", budget_tokens=400, query="How much will the rent be?").text

    line = next(line for line in text.splitlines() if "The rent rises to 940" in line)
    assert "Ana (quoted): " in line


def test_a_search_finds_what_is_said_in_the_scope(folded: Turnfold) -> None:
    asked = "berth locker boat"
    (of_tom, *_) = folded.search("c", asked, speakers=["Tom"])
    assert (of_tom.speaker, of_tom.origin) == ("Tom", Origin.USER)
    assert "5521" in of_tom.snippet
    of_tools = folded.search("c", asked, origins=["tool"])
    assert of_tools
    assert {hit.origin for hit in of_tools} == {Origin.TOOL}
    assert not folded.search("c", asked, speakers=["Nobody"])


def test_everything_is_the_default(folded: Turnfold) -> None:
    plain = folded.context("c", budget_tokens=800, query=False)

    assert folded.context("c", budget_tokens=800, query=False, origins=list(Origin)) == plain
    assert folded.search("c", "berth") == folded.search("c", "berth", origins=None, speakers=None)


@pytest.mark.parametrize(
    "given", [{"origins": ["god"]}, {"speakers": [3]}, {"origins": ["user"], "expand": ["L0:turn-1"]}]
)
def test_a_scope_that_makes_no_sense_is_refused(folded: Turnfold, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        folded.context("c", budget_tokens=800, **given)
