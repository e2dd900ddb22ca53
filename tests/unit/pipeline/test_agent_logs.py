"""A small context of an agent's log keeps the paths and symbols that the log is about, whatever its tools and form."""

from __future__ import annotations

import pytest

from support.agent_logs import LOGS, AgentLog
from turnfold_worker.offline import fold
from turnfold_worker.pipeline import fold as folding
from turnfold_worker.pipeline import name_index, outline


def missing(log: AgentLog, budget_tokens: int) -> set[str]:
    """Return the log's main paths and symbols that are absent from the names of a context within the budget."""
    with fold(log.turns) as conversation:
        context = conversation.context(budget_tokens=budget_tokens)
    assert context.tokens <= budget_tokens
    names = [line for line in context.text.splitlines() if line.startswith("[names] ")]
    return {name for name in (*log.paths, *log.symbols) if not any(name in line for line in names)}


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_context_of_1000_tokens_names_what_the_log_is_about(log: AgentLog) -> None:
    assert not missing(log, 1_000)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_query_and_a_long_request_leave_names_their_room(log: AgentLog) -> None:
    steps = " ".join(f"Step {number}: look at every caller before the change." for number in range(60))
    first = next(i for i, turn in enumerate(log.turns) if turn["role"] == "user")
    turns = [*log.turns]
    turns[first] = {**turns[first], "content": f"{turns[first]['content']}\n\n{steps}"}
    with fold(turns) as conversation:
        asked = conversation.context(budget_tokens=700, query="What failed last, and which test shows it?")
    names = next(part for part in asked.report.parts if part.name == "names")
    assert names.used >= 0.7 * names.got


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_context_of_500_tokens_says_what_the_log_is_about(log: AgentLog) -> None:
    with fold(log.turns) as conversation:
        text = conversation.context(budget_tokens=500).text
    assert [name for name in (*log.paths, *log.symbols) if name not in text] == []


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_call_is_shown_once_and_its_tool_is_no_name(log: AgentLog) -> None:
    with fold(log.turns) as conversation:
        text = conversation.context(budget_tokens=500).text
    assert text.count("[call shell command='cargo build']") <= 1
    assert not [line for line in text.splitlines() if line.startswith("[names] ") and "run_command" in line]


@pytest.mark.parametrize("lost", ["paths", "symbols", "the open tail", "whose words they are"])
def test_the_check_fails_when_this_is_lost(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if lost in {"paths", "symbols"}:
        keeps_paths = lost == "symbols"
        monkeypatch.setattr(
            outline, "rank",
            lambda *names, **more: tuple(n for n in name_index.rank(*names, **more) if ("/" in n) is keeps_paths),
        )  # fmt: skip
    elif lost == "the open tail":
        monkeypatch.setattr(outline, "segment_name_index", lambda readings: name_index.NameIndex())
    else:
        monkeypatch.setattr(folding, "voice_of", lambda turn: "user")
    assert any(missing(log, 1_000) for log in LOGS)
