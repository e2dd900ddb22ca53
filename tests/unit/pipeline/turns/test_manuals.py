"""The standing instructions of a harness weigh little, and a person's wishes keep their full weight."""

from __future__ import annotations

from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.name_index import segment_name_index
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import Reading, read_turn

ISSUE = (
    "The ferry's ticket export drops the last row of tickets.csv when the file ends without a newline.\n"
    "It began with version 2.4, and version 2.3 wrote every row. The reader in ferry/export.py cuts at the newline.\n"
    "I expect 120 rows and get 119 of them, on each machine that we tried it on. Nobody knows why it does so.\n"
)
MANUAL = (
    "INSTRUCTIONS:\n"
    "Now you're going to solve this on your own. Your terminal has started in the root folder of the code.\n"
    "Remember that you can only enter one command at a time. You should always wait for its output.\n"
    "When you're satisfied with your changes, you can hand them in with the submit command.\n"
    "Note that you cannot use interactive programs here, but you can write scripts and run them.\n"
    "Always start by trying to repeat the error. Then start trying to fix it.\n"
    "If a command doesn't work, try a different one. Make sure to look at the open file.\n"
    "If you need line 583 of a file, don't scroll. Instead, use the goto command of file_viewer.py for it.\n"
    'Do this by running the command: find_image "broken-input.png" in your terminal. Check your edits.\n'
)  # fmt: skip


def read(content: str, role: Role = Role.USER) -> Reading:
    return read_turn(StoredTurn(seq=1, turn_id="t1", role=role, content=content, tokens=1))


def manual(content: str) -> str:
    reading = read(content)
    return "" if reading.manual is None else reading.text(reading.manual)


def test_a_manual_is_found_from_its_beginning_to_its_end() -> None:
    found = manual(f"{ISSUE}\n\n\n{MANUAL}\n(Open file: none)\nbash-$")
    assert found.startswith("INSTRUCTIONS:")
    assert found.endswith("Check your edits.")


def test_wishes_of_a_person_and_words_of_an_assistant_are_no_manual() -> None:
    wish = "Always answer in German. Make sure that you name your sources. Never shorten names."
    assert manual(f"{ISSUE}{ISSUE}{ISSUE}\n{wish}") == ""
    assert manual(wish) == ""
    assert read(ISSUE + MANUAL, Role.ASSISTANT).manual is None


def test_a_manual_is_worth_less_than_what_stands_beside_it() -> None:
    reading = read(f"{ISSUE}\n\n\n{MANUAL}")
    notes = notes_of([reading])
    said = [note.worth for note in notes if "rows" in note.text]
    told = [note.worth for note in notes if "goto" in note.text or "satisfied" in note.text]
    assert said
    assert told
    assert min(said) > 2 * max(told)


def test_a_manual_is_worth_nothing_where_tools_work() -> None:
    output = StoredTurn(seq=2, turn_id="t2", role=Role.TOOL, name="shell", content="exit 0", tokens=2)
    notes = notes_of([read(f"{ISSUE}\n\n\n{MANUAL}"), read_turn(output)])
    worth = {note.text: note.worth for note in notes}
    assert any(worth[text] for text in worth if "rows" in text)
    assert not any(worth[text] for text in worth if "goto" in text or "satisfied" in text)


def test_no_anchor_is_taken_from_a_manual() -> None:
    reading = read(f"{ISSUE}\n\n\n{MANUAL}")
    assert reading.manual is not None
    assert not [one for one in extract_anchors([reading], FoldSettings()) if one.start >= reading.manual.start]
    assert extract_anchors([read(f"{ISSUE}\n\n\nThen start trying to fix it by tomorrow, please.")], FoldSettings())


def test_names_of_a_manual_are_not_what_a_person_is_about() -> None:
    reading = read(f"{ISSUE}\n\n\n{MANUAL}")
    found = segment_name_index([reading])
    scores = {entry.name: entry.score for entry in found.entries}
    assert scores["broken-input.png"] < scores["tickets.csv"]
    assert scores["find_image"] < scores["ferry/export.py"]
