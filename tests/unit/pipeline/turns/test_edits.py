"""An edit is read as the lines that it leaves in the file, from every form in which agents write files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from turnfold.contract.actions import ALL_OF_FILE, GAP_LINE, Action
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.turns.actions import actions_of
from turnfold_worker.pipeline.turns.edits import LONGEST_WROTE

PATH = "/srv/ferry/src/pay.py"


def turn(seq: int, role: Role, content: str, parts: dict[str, Any] | None = None) -> StoredTurn:
    return StoredTurn(seq=seq, turn_id=f"t{seq}", role=role, content=content, tokens=1, parts=parts)


def openai(name: str, arguments: dict[str, Any], output: str = "Done.", seq: int = 1) -> list[StoredTurn]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"c{seq}", "type": "function", "function": function}
    return [
        turn(seq, Role.ASSISTANT, "", {"tool_calls": [call]}),
        turn(seq + 1, Role.TOOL, output, {"tool_call_id": f"c{seq}"}),
    ]


def anthropic(name: str, arguments: dict[str, Any], output: str = "Done.", seq: int = 1) -> list[StoredTurn]:
    use = {"type": "tool_use", "id": f"u{seq}", "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": f"u{seq}", "content": output}
    return [
        turn(seq, Role.ASSISTANT, "", {"content": [use]}),
        turn(seq + 1, Role.USER, output, {"content": [result]}),
    ]


def plain(command: str, output: str = "", seq: int = 1) -> list[StoredTurn]:
    said = f"THOUGHT: it is cut too early, so I round.\n\n```bash\n{command}\n```"
    return [turn(seq, Role.ASSISTANT, said), turn(seq + 1, Role.TOOL, output)]


def only(turns: list[StoredTurn]) -> Action:
    (action,) = actions_of(turns)
    return action


def told(action: Action) -> list[str]:
    return [line[1:] for line in action.wrote if line[:1] != GAP_LINE]


DIFF = """--- a/src/pay.py
+++ b/src/pay.py
@@ -3,3 +3,3 @@
 def cut(amount):
-    return int(amount)
+    return round(amount)
"""


@pytest.mark.parametrize(
    "turns",
    [
        openai(
            "edit_file",
            {"path": PATH, "old_string": "    return int(amount)", "new_string": "    return round(amount)"},
        ),
        anthropic(
            "str_replace_based_edit_tool",
            {"command": "str_replace", "path": PATH,
             "old_str": "return int(amount)", "new_str": "return round(amount)"},
            f"The file {PATH} has been edited.",
        ),
        anthropic(
            "MultiEdit",
            {"file_path": PATH, "edits": [{"old_string": "return int(amount)", "new_string": "return round(amount)"}]},
        ),
        openai("apply_patch", {"input": f"*** Begin Patch\n*** Update File: {PATH}\n"
                               "-    return int(amount)\n+    return round(amount)\n*** End Patch"}),
        openai("replace_in_file", {"path": PATH, "diff": "<<<<<<< SEARCH\nreturn int(amount)\n=======\n"
                                   "return round(amount)\n>>>>>>> REPLACE"}),
    ],
    ids=["OpenAI", "Anthropic", "list of edits", "patch", "blocks"],
)  # fmt: skip
def test_an_edit_keeps_the_new_line_and_knows_the_old_one(turns: list[StoredTurn]) -> None:
    action = only(turns)
    assert [line.strip() for line in told(action)] == ["return round(amount)"]
    assert action.gone == ("return int(amount)",)
    assert action.about == PATH


def test_a_unified_diff_shows_what_stands_after_it() -> None:
    action = only(plain(f"git apply <<'EOF'\n{DIFF}EOF", "Applied."))
    assert [line.strip() for line in told(action)] == ["def cut(amount):", "return round(amount)"]
    assert action.gone == ("return int(amount)",)
    assert action.about == "src/pay.py"


def test_a_patch_to_two_files_is_two_changes() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/a.py\n-x = 1\n+x = 2\n*** Update File: src/b.py\n+y = 3\n*** End Patch"
    )
    first, second = actions_of(openai("apply_patch", {"input": patch}))
    assert (first.about, told(first), first.gone) == ("src/a.py", ["x = 2"], ("x = 1",))
    assert (second.about, told(second)) == ("src/b.py", ["y = 3"])


def test_a_command_that_prints_the_file_tells_which_numbered_lines_went() -> None:
    shown = f"[File: {PATH} (3 lines total)]\n1:def cut(amount):\n2:    return int(amount)\n3:"
    turns = [
        *plain("open src/pay.py", shown),
        *plain("edit 2:2\n    return round(amount)\nend_of_edit", shown.replace("int", "round"), seq=3),
    ]
    action = actions_of(turns)[-1]
    assert told(action) == ["return round(amount)"]
    assert action.gone == ("return int(amount)",)


def test_lines_of_another_file_are_not_what_an_edit_took_away() -> None:
    other = "[File: /srv/ferry/src/fare.py (2 lines total)]\n1:def fare():\n2:    return price"
    turns = [
        *plain("open src/fare.py", other),
        *plain("edit 2:2\n    return round(amount)\nend_of_edit", f"[File: {PATH} (2 lines total)]\n1:x", seq=3),
    ]
    assert actions_of(turns)[-1].gone == ()


def test_a_whole_file_leaves_nothing_of_what_was_written_before() -> None:
    for turns in (
        plain("cat > src/pay.py <<'EOF'\nRATE = 3\nEOF\npython src/pay.py"),
        openai("write_file", {"path": PATH, "content": "RATE = 3\n"}),
        anthropic("str_replace_based_edit_tool", {"command": "create", "path": PATH, "file_text": "RATE = 3\n"}),
    ):
        action = only(turns)
        assert (told(action), action.gone) == (["RATE = 3"], (ALL_OF_FILE,))


def test_what_adds_to_a_file_leaves_the_rest() -> None:
    for turns in (
        plain("cat >> src/pay.py <<'EOF'\nRATE = 3\nEOF"),
        openai("insert_text", {"path": PATH, "line": 3, "text": "RATE = 3\n"}),
    ):
        action = only(turns)
        assert (told(action), action.gone) == (["RATE = 3"], ())


def test_what_is_put_back_stands_no_more() -> None:
    assert only(plain("git checkout -- src/pay.py")).gone == (ALL_OF_FILE,)
    assert only(openai("undo_edit", {"path": PATH})).gone == (ALL_OF_FILE,)
    assert not only(plain("git checkout feature/pay.py-rounding", "Switched")).changed


def test_an_edit_that_was_refused_wrote_nothing() -> None:
    turns = plain("edit 2:2\n    return rond(amount)\nEOF", "ERRORS:\n- F821 undefined name 'rond'\nNOT applied.")
    assert only(turns).wrote == ()


def test_what_only_runs_or_looks_writes_nothing() -> None:
    assert only(plain("python - <<'EOF'\nprint(3)\nEOF", "3")).wrote == ()
    assert only(openai("search", {"pattern": "cut", "text": "x"}, "src/pay.py:3: cut")).wrote == ()


def test_of_a_long_text_whole_lines_stay_the_new_ones_first() -> None:
    before = [f"line_{n} = {n}" for n in range(200)]
    after = [*before[:100], "added = True", *before[100:]]
    action = only(
        openai("edit_file", {"path": PATH, "old_str": "\n".join(before), "new_str": "\n".join(after)})
    )  # fmt: skip
    assert told(action) == ["line_98 = 98", "line_99 = 99", "added = True", "line_100 = 100", "line_101 = 101"]
    assert (action.wrote[0], action.wrote[-1]) == (f"{GAP_LINE}98", f"{GAP_LINE}98")
    long = only(openai("write_file", {"path": PATH, "content": "\n".join(before)}))
    assert sum(map(len, long.wrote)) <= LONGEST_WROTE + 10
    assert set(told(long)) <= set(before)


def test_of_what_an_edit_takes_away_no_line_is_left_out_without_a_mark() -> None:
    before = ["if late:", "    charge(fee)", "    notify(guest)", "    close()"]
    action = only(openai("edit_file", {"path": PATH, "old_str": "\n".join(before), "new_str": "    notify(guest)"}))
    assert action.gone == ("if late:", "    charge(fee)", f"{GAP_LINE}1", "    close()")
    many = [f"step_{n}()" for n in range(20)]
    action = only(openai("edit_file", {"path": PATH, "old_str": "\n".join(many), "new_str": "done()"}))
    assert action.gone == (*many[:12], f"{GAP_LINE}8")


def test_a_line_that_is_cut_ends_in_a_mark() -> None:
    (line,) = told(only(openai("write_file", {"path": PATH, "content": "word " * 60})))
    assert line.endswith("word…")
