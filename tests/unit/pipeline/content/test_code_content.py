"""Source code and listings are read as definitions, imports and entries, each of its kind."""

from __future__ import annotations

import pytest

from turnfold_worker.pipeline.content import read_content
from turnfold_worker.pipeline.content.statements import read_lines


def stated(text: str) -> str:
    """Return all statements of a text."""
    return "\n".join(statement.text for statement in read_content(text))


VIEW = (
    "[File: /ferry/src/main/java/org/ferry/Tables.java (97 lines total)]\n"
    "1:package org.ferry.tables;\n"
    "2:\n"
    "3:import java.util.Map;\n"
    "4:\n"
    "5:public class Tables {\n"
    "6:    public TableType buildTable(Class<? extends Table> kind,\n"
    "7:            Class<?> rows) {\n"
    "8:        return buildTable(kind,\n"
    "9:            rowsOf(rows));\n"
    "10:    }\n"
    "11:    public <T extends Row> T readRow(RowType type) {\n"
    "12:        throw new RowException(type,\n"
    "13:            type.name());\n"
    "14:    }\n"
    "15:    private Map<String, Row> namedRows() {\n"
    "16:        return null;\n"
    "17:    }\n"
    "18:}\n"
)


def test_a_package_is_no_import() -> None:
    text = stated(VIEW)
    assert "imports java.util.Map" in text
    assert "org.ferry.tables" not in text


@pytest.mark.parametrize("defined", ["buildTable (line 6)", "readRow (line 11)", "namedRows (line 15)"])
def test_a_signature_that_goes_on_or_has_a_type_of_its_own_is_a_definition(defined: str) -> None:
    assert defined in stated(VIEW)


def test_a_call_that_goes_on_in_the_next_line_is_no_definition() -> None:
    text = stated(VIEW)
    assert "(line 8)" not in text
    assert "(line 12)" not in text


def test_a_program_that_a_listing_marks_is_a_file() -> None:
    text = stated("LICENSE\nREADME.md\nmvnw*\nmvnw.cmd\npom.xml\nrelease.sh*\nsrc/\n")
    assert "6 files and 1 folder" in text
    assert "mvnw*" not in text
    assert "release.sh" in text


def test_names_of_a_listing_are_worth_more_than_their_number() -> None:
    statements = read_content("LICENSE\nREADME.md\nmvnw*\nmvnw.cmd\npom.xml\nrelease.sh*\nsrc/\n")
    worth = {one.text: one.worth for one in statements}
    assert worth["6 files and 1 folder"] < min(worth[text] for text in worth if text.startswith("files LICENSE"))


def test_a_listing_that_a_tool_counted_is_not_counted_again() -> None:
    text = stated('Found 2 matches for "tide" in /docks:\n/docks/quay.py (1 matches)\n/docks/pier.py (1 matches)\n')
    assert "Found 2 matches" in text
    assert "2 files" not in text


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("File updated. Please review the changes. Edit it again if necessary.", "File updated."),
        ("More than 90 files matched. Please narrow your search.", "More than 90 files matched."),
        ("Build failed. Please check `make deps` first.", "Build failed. Please check `make deps` first."),
        ("Please run the setup first.", "Please run the setup first."),
    ],
)
def test_a_tools_reminder_behind_what_it_did_is_left_out(line: str, kept: str) -> None:
    assert read_lines(line).kept == (kept,)
