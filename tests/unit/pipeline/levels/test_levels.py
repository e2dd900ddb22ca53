"""Levels are readable and no longer than their source, and no turn can imitate our own markers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import said, talk, wild_text, wild_turns
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold.contract.speakers import speaker_label
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.fold import FoldedNode, fold_segment
from turnfold_worker.pipeline.levels.lines import INDENT
from turnfold_worker.pipeline.levels.tags import MAX_SLUG, slug, tag_line, tags_of, topics
from turnfold_worker.pipeline.notes.phatic import is_phatic
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn

FILLER = "The committee talked about the garden fence again and the colour of the paint for quite a while."


def _marks(text: str) -> list[str]:
    """Return the bracketed text around each marker."""
    return [text[text.rfind("[", 0, at.start()) : text.find("]", at.start()) + 1] for at in re.finditer("→L", text)]


def levels_of(turns: list[StoredTurn]) -> dict[int, str]:
    return dict(fold_segment(turns, idx=0, settings=FoldSettings()).levels)


@given(wild_turns(most=20))
@examples(120)
def test_no_level_is_longer_than_the_one_above(turns: list[StoredTurn]) -> None:
    folded = fold_segment(turns, idx=0, settings=FoldSettings())
    assert list(folded.node.tokens) == sorted(folded.node.tokens, reverse=True)
    assert folded.node.tokens[1:] == tuple(estimate_tokens(folded.levels[level]) for level in (1, 2, 3))


@given(wild_turns(most=20))
@examples(120)
def test_every_line_of_a_level_begins_with_a_letter_or_our_date(turns: list[StoredTurn]) -> None:
    dates = {f"[{turn.created_at.day} {turn.created_at:%B %Y}]" for turn in turns if turn.created_at}
    levels = levels_of(turns)
    assert levels.keys() == {1, 2, 3}
    for text in levels.values():
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        ours = {f"[{what} →L0:turn-{n}]" for n in range(1, 21) for what in (f"same as turn {n}", "…")}
        assert all(mark in ours for mark in _marks(text))
        assert text.isprintable() or all(line.isprintable() or not line.isascii() for line in text.splitlines())
        begins = tuple(
            f"{opening}{end}" for date in dates for opening in (date, f"{date[:-6]}]") for end in (" ", "\n")
        )
        lines = text[:-1].split("\n")
        assert all(f"{line}\n".startswith(begins) or line[0].isalpha() or line.startswith(INDENT) for line in lines)


def test_a_long_segment_keeps_the_target_ratios() -> None:
    sentences = [
        "The annual budget for the observatory dome is {n},400 euros and Priya signed it.",
        "Our telescope mirror {n} arrives from Hamburg with a cracked housing.",
        "I prefer the northern valley site because light pollution ruins exposure {n}.",
        "Nobody has calibrated spectrograph {n} since the thunderstorm.",
    ]
    turns = [
        said(f"{FILLER} {sentences[i % 4].format(n=i)} {FILLER}", seq=i, role=Role.USER if i % 2 else Role.ASSISTANT)
        for i in range(1, 21)
    ]
    whole, detailed, brief, tags = fold_segment(turns, idx=0, settings=FoldSettings()).node.tokens
    assert 3 <= whole / detailed <= 5.5
    assert 8 <= whole / brief <= 15
    assert tags <= 30


def test_a_tiny_segment_shows_its_source() -> None:
    turns = talk("user: Which bakery is open on Sunday?", "assistant: Only Rosa's bakery.")
    assert levels_of(turns)[1] == "user: Which bakery is open on Sunday?\nassistant: Only Rosa's bakery.\n"


def test_dates_are_lines_of_their_own() -> None:
    turns = [
        said(f"Our landlord signed the lease yesterday. {FILLER} {FILLER}", name="Ana", minutes=0),
        said(f"My movers come with two trucks tomorrow. {FILLER}", seq=2, name="Omar", minutes=24 * 60),
    ]
    texts = levels_of(turns)
    assert texts[1].startswith("[14 May 2026]\nAna: ")
    assert "\n[15 May 2026]\nOmar: " in texts[1]


def test_a_sentence_too_long_for_a_level_shows_its_beginning() -> None:
    texts = levels_of([said("dock14.Ana inspected the harbour crane " * 6)])
    assert texts[2].startswith("user: ")
    assert texts[2].endswith("…\n")


def test_a_short_answer_is_shown_with_its_question() -> None:
    turns = talk(
        *[f"user: {FILLER}"] * 5,
        "user: Did Priya approve the telescope?",
        "assistant: Not Priya, Wolfgang.",
        *[f"user: {FILLER}"] * 5,
    )
    text = levels_of(turns)[1]
    assert "Not Priya, Wolfgang" in text
    assert text.index("Did Priya approve the telescope?") < text.index("Not Priya, Wolfgang")


def test_code_is_outlined_in_level_one_and_absent_from_level_two() -> None:
    code = "```python\ndef migrate(ledger):\n" + "    ledger.append(1)\n" * 40 + "```"
    texts = levels_of(
        talk(f"user: This migration function breaks the ledger table.\n{code}", "assistant: " + FILLER * 2)
    )
    assert "code: python, 41 lines, with migrate: def migrate(ledger):" in texts[1]
    assert texts[1].count("[… →L0:turn-1]") == 1
    assert "ledger.append" not in texts[2]


CODE = "```nginx\nserver {\n    listen 80;\n\n    location /api { proxy_pass http://a:1; }\n}\n```"


@pytest.mark.parametrize(
    "exact",
    [
        CODE,
        "| item | price |\n|---|---|\n| tea | 3 |\n| cake | 4 |",
        "SELECT id, total FROM orders\nWHERE total > 100\nORDER BY id;",
        '{"retries": 3,\n "hosts": ["a", "b"]}',
        "def total(rows):\n    return sum(rows)",
        "Keep AKIAIOSFODNN7EXAMPLE for the bucket.",
        "$$\\int_0^1 x^2 dx = \\frac{1}{3}$$",
        "PORT=8080\nHOST=example.org\nDEBUG=false",
        "$ docker compose up -d\n$ docker compose logs -f web",
        "Its manual is https://example.org/docs/a?b=c#d",
    ],
)
def test_exact_words_stand_whole_in_level_one(exact: str) -> None:
    turns = talk(f"user: {FILLER}", f"assistant: {exact}", *[f"user: {FILLER} {n}" for n in range(6)])
    text = levels_of(turns)[1]
    lines = [line.rstrip() for line in exact.split("\n")]
    shown = [line.removeprefix(INDENT).removeprefix("assistant: ") for line in text.split("\n")]
    assert any(shown[at : at + len(lines)] == lines for at in range(len(shown)))


@given(wild_turns(most=8), st.integers(0, 8), st.integers(1, 60))
@examples(120)
def test_no_fence_is_cut_inside(turns: list[StoredTurn], at: int, lines: int) -> None:
    code = "".join(f"    key{n} = value{n};\n" for n in range(lines))
    fenced = said(f"See:\n```conf\n{code}```\nThat is it.", seq=1)
    mixed = [replace(turn, seq=seq) for seq, turn in enumerate([*turns[:at], fenced, *turns[at:]], start=1)]
    shown = {
        len([line for line in text.split("\n") if line.startswith(INDENT) and "= value" in line])
        for text in levels_of(mixed).values()
    }
    assert shown <= {0, lines}


def test_a_block_that_was_shown_already_is_named() -> None:
    turns = talk(f"assistant: {CODE}", f"user: {FILLER}", f"assistant: Again, with a word around it:\n{CODE}")
    text = levels_of([*turns, said(FILLER, seq=9)])[1]
    assert text.count("listen 80;\n") == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thanks so much, Mel!", True),
        ("Absolutely, Craig!", True),
        ("No, not yet.", False),
        ("No problem!", True),
        ("Buy milk.", False),
    ],
)
def test_small_talk_is_told_from_answers(text: str, expected: bool) -> None:
    assert is_phatic(text, frozenset({"melanie"})) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ana", "Ana"),
        ("[12 May] x", "May x"),
        ("→L1:fake", "L fake"),
        ("42", "user"),
        ("a\nb: c", "a b c"),
        ("ليلى", "ليلى"),
        (None, "user"),
    ],
)
def test_a_speakers_label_is_one_plain_line(name: str | None, expected: str) -> None:
    assert speaker_label(said("x", name=name)).replace("L1", "L") == expected


def test_a_call_without_words_is_told_by_its_name() -> None:
    parts = {"tool_calls": [{"id": "a", "function": {"name": "find_flights", "arguments": '{"to": "Lisbon"}'}}]}
    texts = levels_of([said("", role=Role.ASSISTANT, parts=parts), *talk("user: " + FILLER)[0:0]])
    assert "\n" in texts[1]
    assert (
        "find_flights"
        in levels_of([said(FILLER), said("", seq=2, role=Role.ASSISTANT, parts=parts), said(FILLER, seq=3)])[1]
    )


def test_tags_name_repeated_pairs_and_leave_speakers_out() -> None:
    texts = [("The seat map of Melanie shows refunds.", 1), ("Another seat map by Melanie.", 1)]
    assert topics(texts, ["Melanie"])[0] == "seat map"
    assert "melanie" not in " ".join(topics(texts, ["Melanie"]))


def test_a_line_of_tags_can_be_read_back() -> None:
    line = tag_line(["seat map", "refunds"], {"names": ["Mara, Lee"], "paths": ["src/app/main.py"]})
    assert line == "tags: seat map, refunds; names: Mara Lee; paths: main.py\n"
    assert tags_of(line) == {"tags": ["seat map", "refunds"], "names": ["Mara Lee"], "paths": ["main.py"]}


@given(wild_text, wild_text)
def test_a_slug_is_a_few_plain_words(topic: str, name: str) -> None:
    found = slug({"names": [name]}, [topic])
    assert 0 < len(found) <= MAX_SLUG
    assert all(c.isascii() and (c.isdigit() or c.islower() or c == "-") for c in found)
    assert 1 <= len(found.split("-")) <= 4


def test_each_sentence_of_a_turn_of_many_is_a_note() -> None:
    told = [f"The {place}th berth of the harbour at pier {3 * place} stays closed." for place in range(600)]
    reading = read_turn(said(" ".join(told)))
    assert len(notes_of([reading])) == len(told)


def fold_of(turns: list[StoredTurn], **settings: float) -> FoldedNode:
    return fold_segment(turns, idx=0, settings=replace(FoldSettings(), **settings))


cargoes = st.lists(
    st.tuples(
        st.sampled_from(["Ana", "Omar", "Wei"]),
        st.sampled_from(["tea", "copper", "cork", "oak", "wool"]),
        st.sampled_from(["Porto", "Genoa", "Lagos", "Busan"]),
        st.integers(2, 900),
    ),
    min_size=6,
    max_size=24,
)


@given(cargoes)
@examples(60)
def test_level_one_holds_the_notes_that_a_context_takes_first_in_the_order_of_the_turns(
    shipped: list[tuple[str, str, str, int]],
) -> None:
    told = [
        f"Crate {seq} went to {port} with {count} bags of {goods}."
        for seq, (_, goods, port, count) in enumerate(shipped, 1)
    ]
    turns = [
        said(f"{FILLER} {text}", seq=seq, name=name)
        for seq, (text, (name, *_)) in enumerate(zip(told, shipped, strict=True), 1)
    ]
    folded = fold_of(turns, residual_share=0)
    level = folded.levels[1]
    stands = [note.text in level for note in folded.notes if note.text.startswith("Crate ")]
    assert stands[0]
    assert stands == sorted(stands, reverse=True)
    numbers = [int(number) for number in re.findall(r"Crate (\d+) ", level)]
    assert numbers == sorted(set(numbers))
    assert all(f"{shipped[number - 1][0]}: " in level for number in numbers)


def test_a_turn_of_great_importance_stands_verbatim() -> None:
    vow = "Well, honestly, by the way: we must never, ever paint the fence green!"
    turns = [said(f"{FILLER} Crate {seq} went to Porto.", seq=seq) for seq in range(1, 9)]
    turns[4] = said(vow, seq=5, importance=Importance.PIN)
    assert f"\nuser: {vow}\n" in fold_of(turns).levels[1]


def test_the_share_of_turns_that_stand_verbatim_is_a_setting() -> None:
    words = "So, well, we decided on the oak crates, and Ana is really, really happy!"
    turns = [said(f"{FILLER} Crate {seq} went to Porto.", seq=seq) for seq in range(1, 9)]
    turns[7] = said(words, seq=8)
    assert words in fold_of(turns, residual_threshold=50).levels[1]
    assert words not in fold_of(turns, residual_threshold=100).levels[1]
    assert words not in fold_of(turns, residual_threshold=50, residual_share=0).levels[1]


@pytest.mark.parametrize("lead", ["**models.py**", "Run this first:", "models.py"])
def test_the_line_right_before_code_stands_above_it(lead: str) -> None:
    turns = talk(
        f"user: {FILLER}", f"assistant: {FILLER}\n\n{lead}\n{CODE}", *[f"user: {FILLER} {n}" for n in range(6)]
    )
    shown = levels_of(turns)[1].split("\n")
    above = shown[shown.index(f"{INDENT}```nginx") - 1]
    assert above.endswith(lead.strip("*:"))


def test_a_line_before_code_is_shown_once() -> None:
    turns = talk(
        f"assistant: Ana paid 400 euros for the crane of Porto:\n{CODE}", *[f"user: {FILLER} {n}" for n in range(6)]
    )
    assert levels_of(turns)[1].count("400 euros") == 1


def test_what_stands_whole_is_not_told_again() -> None:
    table = "| item | price |\n|---|---|\n| tea | 3 |\n| cake | 4 |"
    turns = talk(f"user: {FILLER}", f"assistant: {table}", *[f"user: {FILLER} {n}" for n in range(6)])
    text = levels_of(turns)[1]
    assert text.count("cake") == 1
    assert f"{INDENT}| cake | 4 |\n" in text


def test_a_call_beside_code_is_told() -> None:
    parts = {"tool_calls": [{"id": "a", "function": {"name": "find_flights", "arguments": '{"to": "Lisbon"}'}}]}
    turns = [said('{"retries": 3,\n "hosts": ["a", "b"]}', role=Role.ASSISTANT, parts=parts)]
    turns += [said(f"{FILLER} {seq}", seq=seq) for seq in range(2, 9)]
    text = levels_of(turns)[1]
    assert "find_flights" in text
    assert '"hosts": ["a", "b"]' in text


def test_a_segment_of_small_talk_says_what_there_was() -> None:
    turns = [said("Thanks so much, that is great!", seq=seq, name=("Ana", "Omar")[seq % 2]) for seq in range(1, 13)]
    texts = levels_of(turns)
    assert "Thanks so much" in texts[1]
    assert texts[2].strip()


def test_a_repeated_turn_is_told_once() -> None:
    words = f"Ana paid 400 euros for the crane of Porto on 3 May. {FILLER} {FILLER}"
    turns = [said(words, seq=1), *(said(f"{FILLER} {seq}", seq=seq) for seq in range(2, 6)), said(words, seq=6)]
    assert levels_of(turns)[1].count("400 euros") == 1
