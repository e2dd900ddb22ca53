"""The request to an agent is shown above the notes, in the user's words and in whole blocks."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from support.wild_turns import wild_turns
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.requests import unpack_requests
from turnfold_worker.offline import fold
from turnfold_worker.pipeline.turns.echoes import output_in
from turnfold_worker.pipeline.turns.requests import LONGEST_REQUEST, requests_of

TASK = "Please make the ferry timetable parser accept times after midnight, such as 25:10."
NEWER = "Now add a command that prints tomorrow's departures as JSON, sorted by quay."


def turn(seq: int, role: Role, content: str) -> StoredTurn:
    return StoredTurn(seq=seq, turn_id=f"t{seq}", role=role, content=content, tokens=1, parts=None)


def log(steps: int, *, task: str = TASK, newer: str = "") -> list[dict[str, Any]]:
    """Return an agent's log of `steps` steps, with another request in the middle if one is given."""
    turns = [{"role": "user", "content": task}]
    for step in range(steps):
        if newer and step == steps // 2:
            turns.append({"role": "user", "content": newer})
        command = f"I look at part {step} of the parser.\n\n```\ncat src/part_{step}.py\n```"
        turns.append({"role": "assistant", "content": command})
        turns.append({"role": "tool", "content": "\n".join(f"{i}: row_{step}_{i} = {i}" for i in range(30))})
    return turns


def test_a_small_budget_says_the_newest_request() -> None:
    with fold(log(30, newer=NEWER)) as conversation:
        assert f"user: {NEWER}" in conversation.context(budget_tokens=500).text


@pytest.mark.parametrize("budget", [1_000, 2_000])
def test_the_first_and_the_newest_request_stand_in_the_users_words(budget: int) -> None:
    with fold(log(30, newer=NEWER)) as conversation:
        context = conversation.context(budget_tokens=budget)
    first = context.text.index(f"[task, turn 1 →L0:turn-1] user: {TASK}")
    second = context.text.index(f"[task, turn 32 →L0:turn-32] user: {NEWER}")
    assert first < second < context.text.index("[background")
    assert {"L0:turn-1", "L0:turn-32"} <= set(context.markers)
    assert next(part for part in context.report.parts if part.name == "task").used <= 0.3 * budget


def test_a_request_that_stands_whole_is_said_once() -> None:
    with fold(log(30)) as conversation:
        text = conversation.context(budget_tokens=500, query=False).text
    assert text.partition("\n")[2].startswith("[task, turn 1 ")
    assert text.count("midnight") == 1


@pytest.mark.parametrize("steps", [3, 30])
def test_a_request_stands_first_folded_or_not(steps: int) -> None:
    with fold(log(steps)) as conversation:
        _, _, told = conversation.context(budget_tokens=400, query=False).text.partition("\n")
        assert told.startswith(f"[task, turn 1 →L0:turn-1] user: {TASK}")


def test_names_leave_out_what_the_request_says() -> None:
    task = f"{TASK} The parser is src/part_3.py, see row_3_4 there."
    with fold(log(30, task=task)) as conversation:
        text = conversation.context(budget_tokens=1_000, query=False).text
    names = next(line for line in text.splitlines() if line.startswith("[names]"))
    assert "src/part_3.py" not in names


def test_a_request_that_is_not_folded_yet_stands_before_the_last_actions() -> None:
    turns = log(20)
    turns += [{"role": "user", "content": NEWER}, *log(3)[1:]]
    with fold(turns) as conversation:
        text = conversation.context(budget_tokens=700).text
    assert text.count(NEWER) == 1
    assert text.index(NEWER) < text.index("[recent turns]")


def test_without_tools_nothing_is_a_task() -> None:
    talk = [turn for turn in log(30, newer=NEWER) if turn["role"] != "tool"]
    with fold(talk) as conversation:
        assert "[task" not in conversation.context(budget_tokens=1_000).text


def test_a_long_request_is_cut_by_whole_blocks_without_what_a_harness_says_to_all() -> None:
    code = "```python\ndef parse(time):\n    hour, minute = time.split(':')\n```"
    filler = "The quay is quiet in the morning and the boats come and go with the tide all day long. " * 12
    manual = " ".join(f"Always run step {i} and do not use your editor for it." for i in range(30))
    prompt = "(Open file: n/a)\n(Current directory: /srv/ferry)\nbash-$"
    content = f"{TASK}\n\n{code}\n\n{filler}\n\n{filler}\n\n\n\n{manual}\n\n{prompt}"
    (request,) = requests_of([turn(1, Role.USER, content)])
    assert request.text.startswith(f"{TASK}\n\n{code}")
    assert len(request.text) <= LONGEST_REQUEST
    assert "Always run step" not in request.text
    assert "bash-$" not in request.text


def test_a_few_words_that_let_the_work_go_on_are_no_request() -> None:
    turns = [turn(1, Role.USER, TASK), turn(2, Role.USER, "yes, please go on"), turn(3, Role.USER, "ok thanks")]
    assert [request.seq for request in requests_of(turns)] == [1]


@given(wild_turns(most=8))
def test_requests_of_anything_are_bounded_and_stored_as_they_are(turns: list[StoredTurn]) -> None:
    found = requests_of(turns)
    assert len(found) <= 2
    assert all(len(request.text) <= LONGEST_REQUEST for request in found)
    assert unpack_requests(json.loads(json.dumps(found))) == found


OUTPUT = "[File: /srv/ferry/parse.py (3 lines total)]\n1: import re\n2:\n3: TIME = re.compile('..')\nFile updated."


@pytest.mark.parametrize(
    ("content", "output"),
    [
        (
            f"I change it.\n```\nedit 1:3\n```\n{OUTPUT}\n(Open file: parse.py)\nbash-$",
            f"{OUTPUT}\n(Open file: parse.py)\nbash-$",
        ),
        ("I change it.\n```\nedit 1:3\n```\nThis (see: above) is all that is needed. We go on with the parser.", ""),
        (
            "I change it.\n```\nedit 1:3\n```\n(note: untested)\nThen we run it. It may fail.\nWe will see about that.",
            "",
        ),
        (f"I change it.\n```\nedit 1:3\n```\n{OUTPUT}\nbash-$\n\nWe keep the old format.", f"{OUTPUT}\nbash-$"),
        ("Nothing is run here.\n(Open file: parse.py)", ""),
        (
            "Solve this.\n\n(Open file: n/a)\n(Current directory: /srv)\nbash-$",
            "(Open file: n/a)\n(Current directory: /srv)\nbash-$",
        ),
    ],
)
def test_output_behind_a_command_is_not_what_the_agent_says(content: str, output: str) -> None:
    span = output_in(turn(1, Role.ASSISTANT, content))
    assert (content[span.start : span.end] if span else "") == output


def test_notes_do_not_tell_a_tools_words_as_the_agents() -> None:
    turns = log(30)
    turns[3]["content"] += f"\n{OUTPUT}\n(Current directory: /srv/ferry)\nbash-$"
    with fold(turns) as conversation:
        agents = [
            line
            for line in conversation.context(budget_tokens=4_000).text.splitlines()
            if line.startswith("assistant:")
        ]
    assert agents
    assert not any("File updated" in line or "bash-$" in line for line in agents)
