"""An agent's last actions are recognized for any tools and form: changes, failures not yet mended, and runs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from support.agent_logs import LOGS, AgentLog
from support.wild_turns import wild_turns
from turnfold.contract.actions import (
    MOST_ACTIONS,
    MOST_FINDS,
    MOST_VAIN_LOOKS,
    Action,
    kept_actions,
    unpack_actions,
)
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.offline import fold
from turnfold_worker.pipeline.turns.actions import LONGEST_DID, LONGEST_ENDED, actions_of


def turn(seq: int, role: Role, content: str, parts: dict[str, Any] | None = None) -> StoredTurn:
    return StoredTurn(seq=seq, turn_id=f"t{seq}", role=role, content=content, tokens=1, parts=parts)


def fenced(*steps: tuple[str, str]) -> list[StoredTurn]:
    """Return turns of commands in fences, each followed by its output."""
    turns = []
    for number, (command, output) in enumerate(steps):
        turns.append(turn(2 * number + 1, Role.ASSISTANT, f"I go on.\n\n```\n{command}\n```"))
        turns.append(turn(2 * number + 2, Role.TOOL, output))
    return turns


def called(name: str, arguments: object, output: str, *, failed: bool | None = None) -> list[StoredTurn]:
    """Return a tool call in Anthropic's form and its result."""
    use = {"type": "tool_use", "id": "u1", "name": name, "input": arguments}
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": "u1", "content": output}
    if failed is not None:
        result["is_error"] = failed
    return [
        turn(1, Role.ASSISTANT, "Now.", {"content": [{"type": "text", "text": "Now."}, use]}),
        turn(2, Role.USER, output, {"content": [result]}),
    ]


def lines(turns: list[StoredTurn]) -> list[str]:
    return [action.shown().rstrip("\n") for action in actions_of(turns)]


def test_a_command_in_fences_stands_with_how_it_ended() -> None:
    turns = fenced(("python -m pytest -q tests/pay", "...\nE   AssertionError: 3 != 4\n1 failed, 2 passed in 0.1s"))
    assert lines(turns) == [
        "turn 1: python -m pytest -q tests/pay; failed: E AssertionError: 3 != 4; 1 failed, 2 passed in 0.1s"
    ]


def test_an_edit_says_which_file_and_what_is_new_in_it() -> None:
    shown = "[File: /srv/ferry/src/pay/Rounding.java (4 lines total)]\n1:class Rounding {\n2:  int cut;\n3:}\n"
    turns = fenced(
        ("open src/pay/Rounding.java", shown),
        ("edit 2:3\n  int cut;\n  int half = 5;\n}\nend_of_edit", shown + "File updated. Please look at it again."),
    )
    assert lines(turns) == ["turn 3: edit 2:3 int half = 5; in Rounding.java; result: File updated."]


def test_looks_are_left_out_but_for_the_last_action() -> None:
    turns = fenced(
        ("ls -la", "a\nb"), ("grep -rn cut src | head", "src/a.py:3:cut"), ("sed -i s/3/4/ src/a.py", ""),
        ("cat src/a.py", "cut = 4"),
    )  # fmt: skip
    assert [action.did for action in actions_of(turns)] == ["sed -i s/3/4/ src/a.py", "cat src/a.py"]


@pytest.mark.parametrize(
    ("command", "looks"),
    [
        ("cd /srv && git status", True), ("git diff | head -40", True), ("sed -n 1,40p a.py", True),
        ('search_dir "cut" src', True), ("view_file a.py", True), ("cat > a.py <<'EOF'\ncut = 4\nEOF", False),
        ("echo cut >> a.py", False), ("git commit -am cut", False), ("cd /srv && make", False), ("npm test", False),
        ("cat a.py 2>/dev/null", True), ("find . -name '*.py' -delete; rm a.py", False),
    ],
)  # fmt: skip
def test_what_only_looks_is_told_from_what_does_something(command: str, looks: bool) -> None:
    assert [action.looked for action in actions_of(fenced((command, "done")))] == [looks]


@pytest.mark.parametrize(
    ("command", "changes"),
    [
        ("edit 1:2\ncut = 4\nEOF", True), ("sed -i s/3/4/ src/a.py", True),
        ("cat > src/a.py <<'EOF'\ncut = 4\nEOF", True),
        ("echo cut >> src/a.py", True), ("cd src && rm a.py", True), ("python src/a.py > out.txt", False),
        ("python - <<'EOF'\nprint(3)\nEOF", False), ("git apply fix.patch", False), ("make src/a.o", False),
    ],
)  # fmt: skip
def test_what_writes_a_file_is_told_from_what_runs_something(command: str, changes: bool) -> None:
    assert [action.changed for action in actions_of(fenced((command, "done")))] == [changes]


def test_an_action_knows_its_file_by_the_path_that_its_output_shows() -> None:
    turns = fenced(("create pay.py", "[File: /srv/ferry/src/pay.py (1 lines total)]\n1:"))
    turns += called("apply_patch", {"patch": "*** Begin Patch\n*** Update File: src/tide.py\n+cut = 4"}, "Done.")
    assert [action.about for action in actions_of(turns)] == ["/srv/ferry/src/pay.py", "src/tide.py"]


def test_the_files_that_a_search_lists_are_kept_and_what_it_looked_for_in_vain() -> None:
    listed = "Found 2 matches:\n/srv/ferry/src/pay.py (1 matches)\n/srv/ferry/src/tide.py (3 matches)"
    turns = fenced(
        ('search_dir "cut"', listed), ("ls src", "pay.py\ntide.py"),
        ('find_file "fare.py"', 'No matches found for "fare.py"'), ("cat src/pay.py", "cut = 3"),
    )  # fmt: skip
    found, vain, last = actions_of(turns)
    assert found.found == ("/srv/ferry/src/pay.py", "/srv/ferry/src/tide.py")
    assert vain.is_vain
    assert last.did == "cat src/pay.py"


def test_a_failure_goes_once_the_same_is_done_without_one() -> None:
    turns = fenced(
        (
            "edit 1:1\nimport jsn\nEOF",
            "ERRORS:\n- F821 undefined name 'jsn'\n[File: /srv/ferry/src/pay.py (1 lines total)]",
        ),
        ("edit 1:1\nimport json\nEOF", "[File: /srv/ferry/src/pay.py (1 lines total)]\n1:import json\nFile updated."),
        ("make build", "pay.c:3:1: error: unknown type name 'cut_t'\nmake: *** [all] Error 1"),
    )
    told = lines(turns)
    assert [line.split(":")[0] for line in told] == ["turn 3", "turn 5"]
    assert told[1].endswith("failed: pay.c:3:1: error: unknown type name 'cut_t'; make: *** [all] Error 1")


def test_what_is_run_again_word_for_word_stands_with_its_last_outcome() -> None:
    turns = fenced(("npm test", "2 failed"), ("npm run mend", "ok"), ("npm test", "12 passed"))
    assert lines(turns) == ["turn 3: npm run mend; result: ok", "turn 5: npm test; result: 12 passed"]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_call_with_arguments_says_what_it_writes(as_json: bool) -> None:
    given_: Any = {"path": "/srv/ferry/pay.py", "old_str": "cut = 3\n", "new_str": "cut = 3\nhalf = 5\n"}
    turns = called("edit_file", json.dumps(given_) if as_json else given_, "The file has been edited.")
    assert lines(turns) == [
        "turn 1: edit_file /srv/ferry/pay.py cut = 3 cut = 3 half = 5; result: The file has been edited."
    ]


def test_what_a_provider_says_of_a_failure_counts() -> None:
    assert [action.failed for action in actions_of(called("shell", {"command": "make it"}, "stop", failed=True))] == [
        True
    ]
    assert [
        action.failed for action in actions_of(called("shell", {"command": "make it"}, "0 errors", failed=False))
    ] == [False]


def test_results_belong_to_their_calls_by_id() -> None:
    uses = [
        {
            "id": f"c{n}",
            "type": "function",
            "function": {"name": "run", "arguments": json.dumps({"command": f"make {n}"})},
        }
        for n in (1, 2)
    ]
    turns = [
        turn(1, Role.ASSISTANT, "", {"tool_calls": uses}),
        turn(2, Role.TOOL, "two is done", {"tool_call_id": "c2"}),
        turn(3, Role.TOOL, "one is done", {"tool_call_id": "c1"}),
    ]
    assert lines(turns) == ["turn 1: make 1; result: one is done", "turn 1: make 2; result: two is done"]


def test_a_call_that_waits_for_its_result_has_none() -> None:
    turns = [*fenced(("make", "ok")), turn(3, Role.ASSISTANT, "And now:\n```\nmake install\n```")]
    assert lines(turns)[-1] == "turn 3: make install"


def test_talk_and_fences_without_tools_are_no_actions() -> None:
    turns = [
        turn(1, Role.USER, "How do I list?"),
        turn(2, Role.ASSISTANT, "```\nls -la\n```"),
        turn(3, Role.USER, "Thanks"),
    ]
    assert actions_of(turns) == ()


@given(wild_turns(most=8))
def test_actions_of_anything_are_bounded_single_lines_that_are_stored_as_they_are(turns: list[StoredTurn]) -> None:
    found = actions_of(turns)
    assert len(found) <= MOST_ACTIONS + MOST_VAIN_LOOKS + MOST_FINDS + 1
    assert [action.seq for action in found] == sorted(action.seq for action in found)
    for action in found:
        assert len(action.did) <= LONGEST_DID
        assert len(action.ended) <= LONGEST_ENDED
        assert action.shown().count("\n") == 1
        assert "→L" not in action.shown()
    assert unpack_actions(json.loads(json.dumps(found))) == found


def test_of_many_actions_the_newest_stay() -> None:
    many = [Action(n, n + 1, f"make {n}", "", "ok", failed=False, looked=False) for n in range(1, 100, 2)]
    assert kept_actions(many) == tuple(many[-MOST_ACTIONS:])
    halves = (*kept_actions(many[:30]), *kept_actions(many[30:]))
    assert kept_actions(halves) == kept_actions(many)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_a_context_says_what_an_agent_did_last_and_how_it_ended(log: AgentLog) -> None:
    with fold(log.turns) as conversation:
        text = conversation.context(budget_tokens=1_000).text
    assert "[state of the work: " in text
    assert all(part in text for part in log.last)


@pytest.mark.parametrize("policy_share", [0.0, 0.25])
def test_actions_keep_to_their_share(policy_share: float) -> None:
    from dataclasses import replace

    from turnfold import BALANCED

    with fold(LOGS[0].turns) as conversation:
        context = conversation.context(budget_tokens=700, policy=replace(BALANCED, actions_share=policy_share))
    used = {part.name: part.used for part in context.budget.parts}
    assert used["actions"] <= policy_share * 700
    assert bool(used["actions"]) is bool(policy_share)


@pytest.mark.parametrize(
    ("first", "then", "stays"),
    [
        (('find_file "fare.py"', 'No matches found for "fare.py"'), ("open src/fare.py", "cut = 3"), False),
        (('find_file "fare.py"', 'No matches found for "fare.py"'), ("open src/welfare.py", "cut = 3"), True),
        (('search_dir "Fare"', 'No matches found for "Fare"'), ('search_dir "Fare" src', ""), True),
        (("javac Fare.java", "bash: javac: command not found"), ("javac Tide.java", "compiled"), False),
        (("javac Fare.java", "bash: javac: command not found"), ("java Tide", "done"), True),
        (("pytest", "E ModuleNotFoundError: No module named 'httpx'"), ("pip install httpx", "installed"), False),
        (("pytest", "E ModuleNotFoundError: No module named 'httpx'"), ("pip install httpx", "error: denied"), True),
        (("pytest tests/a.py", "E AssertionError: 3 != 4"), ("pytest tests/b.py", "1 passed"), True),
    ],
)
def test_what_is_not_there_leaves_once_a_tool_shows_it(
    first: tuple[str, str], then: tuple[str, str], *, stays: bool
) -> None:
    actions = actions_of(fenced(first, then, ("make", "built")))
    assert any(action.seq == 1 for action in actions) is stays


def test_what_is_written_is_no_sign_that_what_was_sought_is_there() -> None:
    turns = fenced(
        ('search_dir "copyWith" src', 'No matches found for "copyWith"'),
        ("cat > try.java <<'EOF'\nmapper.copyWith(f);\nEOF", ""),
        ("make", "built"),
    )
    assert any(action.is_vain for action in actions_of(turns))
