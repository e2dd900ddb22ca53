"""Each preservation rule matches its example, rules apply in order, and every turn is decided."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.golden_content import GOLDEN
from support.wild_turns import calling, said, wild_turns
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold_worker.pipeline.turns.classify import RULES, Classification, Decision, classify
from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.pipeline.turns.repeats import Repeat
from turnfold_worker.pipeline.turns.treatment import Treatment, read_segment

PROSE = (
    "The evening was long and quiet and nobody wanted to leave, so the two of them stayed at the table and talked "
    "about their holidays until the lamps went out one after the other, which made them laugh."
)


def golden(name: str) -> StoredTurn:
    return said((GOLDEN / f"{name}.txt").read_text(encoding="utf-8"))


EXAMPLES = {
    "system role": said(PROSE, role=Role.SYSTEM),
    "pinned": said(PROSE, importance=Importance.PIN),
    "tool calls": said(PROSE, role=Role.ASSISTANT, parts=calling("a")),
    "short": said("Yes, on 7 May."),
    "important": said(PROSE),
    "repeat": said(PROSE),
    "tool output": said(PROSE, role=Role.TOOL),
    "code and prose": said(f"{PROSE}\n```py\nx = 1\n```"),
    "code fence": said(f"Here:\n```py\n{'value = value + 1  # count' * 9}\n```"),
    "JSON": golden("json_object"),
    "SQL": golden("sql_query"),
    "code": golden("java_code"),
    "table": golden("markdown_table"),
    "key": said(f"{PROSE} The key is sk-{'a1B2' * 8}."),
    "formula": said("It holds that " + 9 * r"$$ x_1 = \frac{a}{b} $$ " + "for all of them"),
    "key-value": golden("yaml"),
    "commands": golden("shell_script"),
    "structured": golden("app_log"),
    "marks": said("~#" * 30 + PROSE[:120]),
}


def test_every_rule_has_an_example() -> None:
    assert list(EXAMPLES) == [rule.reason for rule in RULES]


@pytest.mark.parametrize("reason", EXAMPLES)
def test_a_rule_decides_its_example(reason: str) -> None:
    rule = next(rule for rule in RULES if rule.reason == reason)
    found = classify(EXAMPLES[reason], important=reason == "important", repeats=reason == "repeat")
    assert found.decision is rule.decision
    assert found.reasons[0] == reason


def test_prose_without_anything_exact_is_compressed_freely() -> None:
    assert classify(said(PROSE)) == Classification(Decision.COMPRESS, ())


def test_what_binds_comes_before_the_reference_that_would_replace_a_turn() -> None:
    assert classify(EXAMPLES["pinned"], repeats=True).decision is Decision.KEEP


def test_a_repeat_of_code_is_referred_to_rather_than_kept() -> None:
    assert classify(EXAMPLES["code"], repeats=True).decision is Decision.REFER


def test_a_short_turn_has_all_reasons_that_hold() -> None:
    assert classify(said("SELECT 1 FROM seats;"), important=True).reasons[:3] == ("short", "important", "SQL")


def test_a_sign_of_mathematics_in_a_story_keeps_no_story() -> None:
    assert classify(said(f"{PROSE} Then a ≤ b.")).reasons == ()


def test_an_unclosed_fence_is_code_to_its_end() -> None:
    assert classify(said(f"{PROSE}\n```\nx = 1\n" + "y = 2\n" * 20)).reasons == ("code and prose",)


def treated(readings: list[Reading]) -> list[Treatment]:
    return [reading.treatment for reading in readings if reading.treatment is not None]


def test_a_segment_brings_repeats_and_marks_together() -> None:
    story = [said(f"{PROSE} {i}{'!' * i}", seq=i) for i in range(1, 9)]
    turns = [*story, said(story[0].content, seq=9), said(f"We decided. {PROSE}", seq=10, importance=Importance.HIGH)]
    found = treated(read_segment(turns))
    assert [treatment.repeat for treatment in found] == [*[None] * 8, Repeat(9, 1), None]
    assert found[8].classification == Classification(Decision.REFER, ("repeat",))
    assert found[9].classification.reasons == ("important",)


@given(wild_turns())
def test_every_turn_is_decided_and_decided_the_same_again(turns: list[StoredTurn]) -> None:
    found = treated(read_segment(turns))
    assert len(found) == len(turns)
    assert found == treated(read_segment(turns))
    for turn, treatment in zip(turns, found, strict=True):
        one = treatment.classification
        assert set(one.reasons) <= set(EXAMPLES)
        assert one.reasons or one.decision is Decision.COMPRESS
        if turn.role is Role.SYSTEM or turn.importance is Importance.PIN:
            assert one.decision is Decision.KEEP


@pytest.mark.parametrize(
    "scrap", ["a", "$$", "\\(", "+1 ", '"', "[", "eyJ", "```\n", "abc1", "0 ", "“", "中", "\u202e"]
)
def test_a_million_characters_are_classified(scrap: str) -> None:
    assert classify(said(scrap * (1_000_000 // len(scrap)))).decision in set(Decision)


def test_keys_with_sentences_are_prose() -> None:
    minutes = (
        "Minutes of Monday:\n- Recording: we talked for an hour. Outcome: no livestream, Ben cuts it within a month\n"
        "- Mugs: nobody wants mugs, the tote bags come from the workshop in Leith\n"
        "- Tickets: Ada made the case with both sponsors in, we can do 165 for regular and the dean is fine with it"
    )
    assert "key-value" not in classify(said(minutes)).reasons
