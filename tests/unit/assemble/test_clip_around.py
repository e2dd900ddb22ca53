"""A long turn is cut around its most informative parts, within its token limit and never inside code."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import wild_text
from turnfold.assemble.forms.clip_around import DECISIONS, ERRORS, NAMES, Focus, Words, bare_lines, clip_around
from turnfold.tokens import estimate_tokens

GAP = " [… →L0:turn-7] "
FILLER = "We walked along the fence again and looked at the paint for quite a while in the afternoon light. "
CODE = "```python\ndef drain(queue):\n    return [take() for take in queue]\n```"


@pytest.mark.parametrize("tokens", [80, 120, 300])
@pytest.mark.parametrize(
    "told",
    [
        "We decided to keep PostgreSQL for the ledger.",
        "The build failed with ImportError in worker/tasks.py.",
        "Priya wants 14 replicas by Friday.",
    ],
)
def test_a_decision_in_the_middle_of_a_long_turn_stands(told: str, tokens: int) -> None:
    text = f"{FILLER * 30}{told} {FILLER * 30}"
    clipped = clip_around(text, tokens, GAP, estimate_tokens)
    assert told in clipped
    assert clipped.startswith(FILLER.strip())
    assert clipped.endswith(FILLER.strip())
    assert clipped.count(GAP.strip()) == 1
    assert estimate_tokens(clipped) <= tokens


@pytest.mark.parametrize("words", [DECISIONS, ERRORS])
@given(data=st.data())
def test_a_text_with_one_of_some_words_is_not_passed_over(words: Words, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(re.compile(words.pattern.pattern)))
    assert words.are_in(text, text.lower())
    assert not words.are_in("an undecorated text", "an undecorated text")


@given(st.text("ab1_./` \n),:", max_size=12))
def test_names_and_paths_are_found_wherever_they_begin(text: str) -> None:
    spelled = re.search(r"`[^`\n]+`|\b\w+_\w+\b|\b\w+\.\w{1,5}\b(?=[\s,)]|$)|\S/\S|://", text)
    assert (NAMES.search(text) is not None) is (spelled is not None)


def test_a_small_fence_stands_whole_and_a_long_one_is_named() -> None:
    long = "```sql\n" + "INSERT INTO ledger VALUES (1);\n" * 60 + "```"
    text = f"{FILLER * 10}\n{CODE}\n{FILLER * 10}\n{long}\n{FILLER * 10}"
    clipped = clip_around(text, 250, GAP, estimate_tokens)
    assert f"\n{CODE}" in clipped
    assert "(sql, 60 lines: INSERT INTO ledger VALUES (1);" in clipped
    assert clipped.count("```") == 2


def test_a_fence_that_neither_fits_nor_is_longer_than_its_name_is_left_out() -> None:
    assert clip_around(CODE, 16, GAP, estimate_tokens) == GAP.strip()


@given(
    st.lists(
        st.sampled_from([FILLER, CODE, "~~~\na;\nb;\n~~~", "Use 3 of 4.", "\n\n", "短い文。", "x" * 900]), max_size=30
    ),
    st.integers(0, 300),
    st.booleans(),
)
@examples(200)
def test_no_cut_exceeds_its_tokens_or_cuts_a_fence(parts: list[str], tokens: int, is_cut: bool) -> None:
    text = "\n".join(parts)
    kept = len(text) // 2 if is_cut else None
    clipped = clip_around(text, tokens, GAP, estimate_tokens, kept=kept)
    assert estimate_tokens(clipped) <= max(tokens, estimate_tokens(GAP.strip()))
    assert clipped == clip_around(text, tokens, GAP, estimate_tokens, kept=kept)
    if not is_cut:
        assert clipped.count("```python") == clipped.count(CODE)
        assert clipped.count("```") == 2 * clipped.count(CODE)


@given(wild_text, st.integers(0, 200))
def test_anything_can_be_cut(text: str, tokens: int) -> None:
    clipped = clip_around(text, tokens, GAP, estimate_tokens)
    assert estimate_tokens(clipped) <= max(tokens, estimate_tokens(GAP.strip()))


def test_what_a_read_left_out_is_a_gap() -> None:
    clipped = clip_around("The beginning is here. The end is there.", 100, GAP, estimate_tokens, kept=23)
    assert clipped == f"The beginning is here.{GAP}The end is there."


def test_the_headings_of_an_answer_stand_and_what_decides_below_its_own() -> None:
    sections = [f"#### {i}. **Part {i}**\n\n- **Aim {i}**:\n  - {FILLER}\n  - {FILLER}" for i in range(40)]
    told = "We decided to keep the ledger in PostgreSQL."
    sections[30] = f"#### 30. **Storage**\n\n{told}"
    text = "\n\n".join([FILLER, *sections, FILLER])
    lines = [line.removesuffix(" […]") for line in clip_around(text, 300, GAP, estimate_tokens).splitlines() if line]
    heads = [int(line.split()[1][:-1]) for line in lines if line.startswith("####")]
    assert heads[:12] == [*range(12)]
    assert lines[lines.index(told) - 1] == "#### 30. **Storage**"


@pytest.mark.parametrize(
    "head", ["### {}. Rinse the tank {}", "{}. **Rinse the tank {}**:", "- **{}. Rinse the tank {}**", "**{} Tank {}**"]
)
def test_a_long_answer_is_cut_to_its_outline(head: str) -> None:
    heads = [head.format(i, i) for i in range(1, 8)]
    bodies = [f"{each}{' ' if each[0] in '-1234567' else chr(10)}{FILLER * 3}" for each in heads]
    clipped = clip_around("\n".join(["Some steps help.", *bodies]), 150, GAP, estimate_tokens)
    assert clipped.startswith("Some steps help.")
    assert all(each in clipped for each in heads)


def test_items_without_a_body_are_no_heads() -> None:
    text = "\n".join(f"- **{FILLER}**" for _ in range(9))
    assert clip_around(text, 80, GAP, estimate_tokens).count(FILLER.strip()) >= 1


def test_what_is_asked_about_stands_before_what_only_looks_important() -> None:
    told = "The lanterns are stored behind the boathouse."
    text = " ".join(
        [FILLER * 8, "We must never skip step 7. " * 40, told, "You must always count to 12. " * 40, FILLER * 8]
    )
    assert told in clip_around(text, 90, GAP, estimate_tokens, focus=Focus(("lantern", "boathous")))
    assert told not in clip_around(text, 90, GAP, estimate_tokens)


@given(st.integers(20, 300))
@examples(50)
def test_a_formula_is_shown_whole_or_not_at_all(tokens: int) -> None:
    formula = "\\[\n\\frac{a + b}{2} = c, \\quad a > 3.\n\\]"
    text = f"{FILLER * 4}\n{formula}\n{FILLER * 4}\nAs \\(x_1 + x_2 = 7\\) we must stop.\n{FILLER * 4}"
    clipped = clip_around(text, tokens, GAP, estimate_tokens)
    assert clipped.count("\\[") == clipped.count("\\]") == clipped.count(formula)
    assert clipped.count("\\(") == clipped.count("\\)")


def test_the_lines_of_a_tool_stay_together() -> None:
    lines = [f"{i}: {'value' if i % 7 else 'Error'}_{i} = {i * i}" for i in range(300)]
    clipped = clip_around("\n".join(lines), 150, GAP, estimate_tokens, focus=Focus(("value_150",), is_output=True))
    at = clipped.splitlines().index("150: value_150 = 22500")
    assert [line.rstrip() for line in clipped.splitlines()[at : at + 3]] == lines[150:153]


def test_what_stands_elsewhere_is_not_repeated() -> None:
    file = "\n".join(f"{i}:def step_{i}(queue): return queue[{i}:]" for i in range(40))
    text = f"{file}\nFile updated: 3 lines were changed.\n"
    focus = Focus(elsewhere=frozenset(bare_lines(file.replace(":def", "|def"))), is_output=True)
    clipped = clip_around(text, 400, GAP, estimate_tokens, focus=focus)
    assert clipped.startswith("0:def step_0(queue)")
    assert clipped.endswith("File updated: 3 lines were changed.")
    assert clipped.count("def step_") <= 4


def test_how_a_turn_ends_politely_is_left_out_first_and_what_it_asks_is_not() -> None:
    steps = "\n".join(f"- **Step {n}**: turn screw {n} by a quarter." for n in range(30))
    polite = "If you have any questions, feel free to reach out!"
    clipped = clip_around(f"Here is the plan:\n\n{steps}\n\n{polite}", 150, GAP, estimate_tokens)
    assert polite not in clipped
    asked = "Would you like me to order the valve?"
    assert asked in clip_around(f"Here is the plan:\n\n{steps}\n\n{asked}\n\n{polite}", 150, GAP, estimate_tokens)
