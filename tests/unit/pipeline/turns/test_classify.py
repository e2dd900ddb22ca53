"""Each preservation rule holds where it should, in its order, and nothing is left undecided."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from support.golden_content import GOLDEN
from support.wild_turns import calling, said, wild_turns
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold_worker.pipeline.language.facts import extract_facts
from turnfold_worker.pipeline.turns.classify import (
    RULES,
    Classification,
    Decision,
    Surroundings,
    Tier,
    classify,
    classify_segment,
)
from turnfold_worker.pipeline.turns.repeats import Repeat

PROSE = (
    "The evening was long and quiet and nobody wanted to leave, so the two of them stayed at the table and talked "
    "about their holidays until the lamps went out one after the other, which made them laugh."
)


def golden(name: str) -> StoredTurn:
    return said((GOLDEN / f"{name}.txt").read_text(encoding="utf-8"))


EXAMPLES = {
    "system role": (said(PROSE, role=Role.SYSTEM), Surroundings()),
    "pinned": (said(PROSE, importance=Importance.PIN), Surroundings()),
    "tool calls": (said(PROSE, role=Role.ASSISTANT, parts=calling("a")), Surroundings()),
    "short": (said("Yes, on 7 May."), Surroundings()),
    "already compressed": (said(f"[summary: {PROSE}]"), Surroundings()),
    "important": (said(PROSE), Surroundings(important=True)),
    "repeat": (said(PROSE), Surroundings(repeat=Repeat(2, 1))),
    "tool output": (said(PROSE, role=Role.TOOL), Surroundings()),
    "code and prose": (said(f"{PROSE}\n```py\nx = 1\n```"), Surroundings()),
    "code fence": (said(f"Here:\n```py\n{'value = value + 1  # count' * 9}\n```"), Surroundings()),
    "JSON": (golden("json_object"), Surroundings()),
    "SQL": (golden("sql_query"), Surroundings()),
    "code": (golden("java_code"), Surroundings()),
    "table": (golden("markdown_table"), Surroundings()),
    "key": (said(f"{PROSE} The key is sk-{'a1B2' * 8}."), Surroundings()),
    "formula": (said("It holds that " + 9 * r"$$ x_1 = \frac{a}{b} $$ " + "for all of them"), Surroundings()),
    "key-value": (golden("yaml"), Surroundings()),
    "commands": (golden("shell_script"), Surroundings()),
    "structured": (golden("app_log"), Surroundings()),
    "marks": (said("~#" * 30 + PROSE[:120]), Surroundings()),
    "verse": (said("\n".join(["Over the hill the lanterns go", "Slowly in the falling snow"] * 3)), Surroundings()),
    "address": (said(f"{PROSE} See https://example.org/a for more."), Surroundings()),
    "formula inside": (said(f"{PROSE} Then a ≤ b."), Surroundings()),
    "phone": (said(f"{PROSE} Call +49 30 1234 5678 tomorrow."), Surroundings()),
    "path": (said(f"{PROSE} It is in src/app/main.py now."), Surroundings()),
    "hash": (said(f"{PROSE} It broke in 91b77d0a."), Surroundings()),
    "identifier": (said(f"{PROSE} Rename maxTokens there."), Surroundings()),
    "number": (said(f"{PROSE} It was $450."), Surroundings()),
    "quote": (said(f"{PROSE} She said “never again”."), Surroundings()),
}


def test_every_rule_has_an_example() -> None:
    assert list(EXAMPLES) == [rule.reason for rule in RULES]


@pytest.mark.parametrize("reason", EXAMPLES)
def test_a_rule_decides_its_example(reason: str) -> None:
    turn, around = EXAMPLES[reason]
    rule = next(rule for rule in RULES if rule.reason == reason)
    found = classify(turn, replace(around, facts=extract_facts(turn.content)))
    assert (found.decision, found.tier) == (rule.decision, rule.tier)
    assert found.reasons[0] == reason


def test_prose_without_anything_exact_is_compressed_freely() -> None:
    assert classify(said(PROSE)) == Classification(Decision.COMPRESS, Tier.NONE, ())


def test_hard_rules_come_before_the_reference_that_would_replace_a_turn() -> None:
    turn, _ = EXAMPLES["pinned"]
    assert classify(turn, Surroundings(repeat=Repeat(2, 1))).decision is Decision.KEEP


def test_a_repeat_of_code_is_referred_to_rather_than_kept() -> None:
    turn, _ = EXAMPLES["code"]
    assert classify(turn, Surroundings(repeat=Repeat(2, 1))).decision is Decision.REFER


def test_soft_reasons_gather_what_a_summary_must_keep() -> None:
    text = f"{PROSE} It cost $450, see https://example.org and src/app/main.py."
    assert classify(said(text), Surroundings(facts=extract_facts(text))).reasons == ("address", "path", "number")


def test_a_sign_of_mathematics_in_a_story_keeps_no_story() -> None:
    assert classify(EXAMPLES["formula inside"][0]).tier is Tier.SOFT


def test_an_unclosed_fence_is_code_to_its_end() -> None:
    assert classify(said(f"{PROSE}\n```\nx = 1\n" + "y = 2\n" * 20)).decision is Decision.SPLIT


def test_a_segment_brings_repeats_and_marks_together() -> None:
    story = [said(f"{PROSE} {i}{'!' * i}", seq=i) for i in range(1, 9)]
    turns = [*story, said(story[0].content, seq=9), said(f"We decided. {PROSE}", seq=10, importance=Importance.HIGH)]
    found, repeats = classify_segment(turns)
    assert repeats == {9: Repeat(9, 1)}
    assert found[8] == Classification(Decision.REFER, Tier.NONE, ("repeat",))
    assert found[9].reasons == ("important",)


@given(wild_turns())
def test_every_turn_is_decided_and_decided_the_same_again(turns: list[StoredTurn]) -> None:
    found, repeats = classify_segment(turns)
    assert len(found) == len(turns)
    assert (found, repeats) == classify_segment(turns)
    for turn, one in zip(turns, found, strict=True):
        assert set(one.reasons) <= set(EXAMPLES)
        assert bool(one.reasons) is (one.tier is not Tier.NONE or one.decision is not Decision.COMPRESS)
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
