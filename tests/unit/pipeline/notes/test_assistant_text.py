"""Headings, samples and drafts in an assistant's text are no notes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from turnfold.contract.notes import Note
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.turns.reading import read_turn


def notes(content: str, role: Role = Role.ASSISTANT) -> dict[str, Note]:
    turn = StoredTurn(seq=1, turn_id="t1", role=role, content=content, tokens=1)
    return {note.text: note for note in notes_of([read_turn(turn)])}


def worth(content: str, words: str, role: Role = Role.ASSISTANT) -> int:
    found = [note.worth for text, note in notes(content, role).items() if words in text]
    assert found, f"no note says {words!r}"
    return max(found)


SQUARE = """Let's work it out step by step.

### Step 1: Understand the Problem
We look for what lies inside of the square.

### Step 2: Apply the Formula
Multiply the side by itself.

### Final Answer
The area of the square is 49 cm².
"""


def test_headings_are_worth_nothing() -> None:
    assert worth(SQUARE, "49 cm²") > 0
    assert worth(SQUARE, "Multiply the side") > 0
    assert worth(SQUARE, "Step 1") == worth(SQUARE, "Final Answer") == 0


def test_a_heading_that_states_something_stays() -> None:
    text = "# Tents\n\n## The blue tent weighs two kilos less than the green\nIt is dearer."
    assert worth(text, "blue tent") > 0
    assert worth("# Tents\n\n**Total cost: $340**\nWe add them up.", "$340") > 0


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("### Sample Resume Section", "- Led a team of 50 people in Bern"),
        ("**Example Bullet Points:**", "- Led a team of 50 people in Bern"),
        ("### Email Template", "We met on 3 May in Bern about the lease."),
        ("### Draft Letter", "- We met on 3 May in Bern about the lease"),
        ("Here are some examples of what you could write:", "- Led a team of 50 people in Bern"),
    ],
)
def test_what_is_made_up_is_no_note_and_what_follows_is(heading: str, line: str) -> None:
    text = f"Sure.\n\n{heading}\n{line}\n\n### Cost\nThe lease costs 900 francs a month in Bern.\n"
    assert worth(text, "in Bern") == worth(text, "900 francs") > 0
    assert worth(text, line.strip("-. ")) == 0


@pytest.mark.parametrize(
    "heading",
    ["### Sample Size", "### Drafting", "### Your Example", "### Template Engine", "### Cost", "Exemplary work:"],
)
def test_near_misses_are_kept(heading: str) -> None:
    line = "- The team of 50 people meets in Bern"
    assert worth(f"Sure.\n\n{heading}\n{line}\n", "team of 50") > 0


def test_a_letter_and_lines_to_be_filled_in_are_no_notes() -> None:
    text = (
        "You could send this:\n\nDear Ms Moser,\n\nI led a team of 50 people in Bern.\n\nBest regards,\nCrystal\n\n"
        "The parcel goes out on 3 May.\n\nGraduated from [University Name] in 1987.\n"
    )
    assert worth(text, "team of 50") == worth(text, "1987") == 0
    assert worth(text, "parcel goes out") > 0


def test_a_link_and_a_formula_are_no_blanks() -> None:
    assert worth("See the [Postgres Manual](https://example.org) for the 64 settings.", "64 settings") > 0
    assert worth("The result is \\[Area = 49\\] for the square in Bern.", "49") > 0


def test_a_users_own_example_and_headings_are_kept() -> None:
    text = "## Example\n- The report opens with revenue by region\n\nDear team,\nwe open in May.\nBest regards,\n"
    assert worth(text, "revenue by region", Role.USER) > 0
    assert worth(text, "open in May", Role.USER) > 0


def test_people_with_names_who_write_little_are_no_assistants() -> None:
    turn = StoredTurn(
        seq=1, turn_id="t1", role=Role.ASSISTANT, content="## Example\n- I moved to Bern in May\n", tokens=1
    )
    named = notes_of([read_turn(replace(turn, name="Nate"))])
    assert max(note.worth for note in named if "Bern" in note.text) > 0


def test_code_below_example_usage_stays_code() -> None:
    text = "### Example Usage\n```python\nprint(total(3))\n```\nThe total is 3 francs.\n"
    reading = read_turn(StoredTurn(seq=1, turn_id="t1", role=Role.ASSISTANT, content=text, tokens=1))
    assert [reading.text(span) for span in reading.code if "print" in reading.text(span)]
    assert worth(text, "3 francs") > 0
