"""Relations are few and correct: questions, denials, wishes and suppositions yield none."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.examples import examples
from support.wild_turns import said, wild_turns
from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.fold import fold_segment
from turnfold_worker.pipeline.levels.fact_lists import MAX_ENTRIES, MAX_ENTRY_LENGTH, RELATIONS
from turnfold_worker.pipeline.levels.relations import MAX_RELATIONS, relations_of
from turnfold_worker.pipeline.levels.tags import tag_line
from turnfold_worker.pipeline.roll_up import roll_up
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn


def relations(content: str, name: str | None = "Ana") -> list[str]:
    return relations_of([read_turn(said(content, name=name))])


@pytest.mark.parametrize(
    ("content", "relation"),
    [
        ("I work at Acme as an engineer.", "Ana works at Acme"),
        ("Also, I bought a mouse from Logitech.", "Ana bought a mouse from Logitech"),
        ("I'm allergic to peanuts and shellfish.", "Ana is allergic to peanuts"),
        ("Well, I play the clarinet too.", "Ana plays the clarinet"),
        ("I just moved to Lisbon!", "Ana moved to Lisbon"),
        ("My sister is called Mara Lopez.", "Ana's sister is Mara Lopez"),
        ("I finished my first screenplay last week.", "Ana finished first screenplay"),
        ("In the config PaymentService depends on RedisCache.", ""),
        ("The PaymentService depends on RedisCache.", "PaymentService depends on RedisCache"),
        ("max_retries: 5", "max_retries: 5"),
        ("Pool size = 20 connections", "Pool size: 20 connections"),
        ("- **Emergency fund**: $150", "Emergency fund: $150"),
    ],
)
def test_a_plain_statement_is_a_relation(content: str, relation: str) -> None:
    assert relations(content) == ([relation] if relation else [])


@pytest.mark.parametrize(
    ("content", "relation"),
    [
        ("When does my sister Zoe Marsh arrive?", "Ana's sister is Zoe Marsh"),
        ("I can't wait to see our old neighbour Tomas again.", "Ana's old neighbour is Tomas"),
        ("We went with my brother-in-law Ravi to the lake.", "Ana's brother-in-law is Ravi"),
        ("Yesterday my dentist, Ines Falk, found nothing.", "Ana's dentist is Ines Falk"),
        ("Priya Rao is my manager.", "Ana's manager is Priya Rao"),
        ("Priya Rao was our designer and I liked it.", "Ana's designer was Priya Rao"),
        ("Did you meet Omar's wife Lena there?", "Omar's wife is Lena"),
        ("The billing service is owned by Priya now.", "billing service is owned by Priya"),
        ("Priya Rao leads the payments team.", "Priya Rao leads the payments team"),
        ("My sister is Zoe's teacher.", "Ana's sister is Zoe's teacher"),
    ],
)
def test_who_somebody_is_to_whom_is_a_relation(content: str, relation: str) -> None:
    assert relations(content) == [relation]


@pytest.mark.parametrize(
    "content",
    [
        "Yesterday my sister, Zoe and I sang.",
        "We invited my sister, Zoe, and Tom.",
        "Maybe my dentist is Ines Falk.",
        "My manager is not Priya Rao.",
        "Is Priya Rao my manager?",
        "My sister sings in Rome.",
        "The billing service is not owned by Priya.",
    ],
)
def test_who_is_not_said_to_be_somebody_is_none(content: str) -> None:
    assert relations(content) == []


@pytest.mark.parametrize(
    "content",
    [
        "IPREFER Acme 0",
        "Do I work at Acme?",
        "PaymentService uses RedisCache?",
        "I don't work at Acme.",
        "I never bought a mouse from Logitech.",
        "PaymentService no longer uses RedisCache.",
        "If I bought a mouse from Logitech I'd be happy.",
        "I work at Acme unless they move.",
        "I wish I played the clarinet.",
        "Maybe PaymentService uses RedisCache.",
        "PaymentService should call RedisCache, it uses RedisCache in tests.",
        "I think PaymentService uses RedisCache.",
        "I have already done it.",
        "I need a break.",
        "I bought it.",
        "I'm a fan of both.",
        "Storage: $200 if needed",
        "Time: now",
        "Who owns port 8080: ?",
    ],
)
def test_what_does_not_hold_for_sure_is_none(content: str) -> None:
    assert relations(content) == []


def test_a_model_that_writes_for_someone_says_nothing_of_itself() -> None:
    letter = said("I graduated from Porto University.", role=Role.ASSISTANT)
    assert relations_of([read_turn(letter)]) == []
    assert relations_of([read_turn(said("Please greet my sister Zoe.", role=Role.ASSISTANT))]) == []


@given(wild_turns(most=12))
@examples(100)
def test_relations_are_bounded_lines_and_the_same_each_time(turns: list[StoredTurn]) -> None:
    readings = [read_turn(turn) for turn in turns]
    found = relations_of(readings)
    assert len(found) <= MAX_RELATIONS
    assert len(set(found)) == len(found)
    assert all(0 < len(relation) <= MAX_ENTRY_LENGTH and "\n" not in relation for relation in found)
    assert found == relations_of(readings)


def test_a_node_keeps_its_relations_and_a_chapter_merges_them() -> None:
    nodes = [
        fold_segment([said(f"I work at Acme in room {n}.", seq=1 + n, name="Ana")], idx=n, settings=FoldSettings())
        for n in range(8)
    ]
    assert all(node.facts[RELATIONS] == [f"Ana works at Acme in room {n}"] for n, node in enumerate(nodes))
    chapter = roll_up(nodes, height=1, idx=0)
    assert set(chapter.facts[RELATIONS]) == {node.facts[RELATIONS][0] for node in nodes}
    assert len(chapter.facts[RELATIONS]) <= MAX_ENTRIES


def test_the_line_of_tags_shows_a_relation_only_whole_and_where_there_is_room() -> None:
    facts = {RELATIONS: ["Ana works at Acme"]}
    assert tag_line(["seat map"], facts, 30) == "tags: seat map; says: Ana works at Acme\n"
    assert tag_line(["seat map"], facts, 8) == "tags: seat map\n"
