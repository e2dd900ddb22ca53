"""A plain line loses Markdown's marks around words, and no mark that means something."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from support.examples import examples
from turnfold_worker.pipeline.language.plain_lines import plain_line

_words = st.text(st.sampled_from("abcxyzÄé会0129'%"), min_size=1, max_size=6)
_phrases = st.lists(_words, min_size=1, max_size=4).map(" ".join)
_inside = st.text(st.sampled_from("ab_*~|(){}[]^\\./=<, 0"), min_size=1, max_size=20).map(lambda text: f"x{text}x")


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("**Berths** are *never* sold, _really_.", "Berths are never sold, really."),
        ("***Note:*** the **north pier** (*not* the south).", "Note: the north pier (not the south)."),
        ("**Step two.** Paint the *hull*, then wait.", "Step two. Paint the hull, then wait."),
        ("__Berth fees__ and __Tides__", "Berth fees and Tides"),
        ('He said "**never**", **_truly_**!', 'He said "never", truly!'),
        ("**`berth_*.csv`** is read by `__iter__`", "berth_*.csv is read by __iter__"),
        ("| **Pier** | *3* |", "Pier 3"),
        ("*We paint it, and we leave.*", "We paint it, and we leave."),
        ("**a *b* c** and **-5%** of **$40**", "a b c and -5% of $40"),
        ("码头**不**开放", "码头不开放"),
        ("**berth_id**: a **read**-only key, **yes**/**no**", "berth_id: a read-only key, yes/no"),
        ("✅**Painted**", "✅Painted"),
        ("* a berth", "a berth"),
        ("see [the `plan`](https://pier.example/a_b)", "see the plan"),
    ],
)  # fmt: skip
def test_marks_around_words_are_removed(said: str, line: str) -> None:
    assert plain_line(said) == line


@pytest.mark.parametrize(
    "said",
    [
        "it defines __enter__ and __exit__, no __del__",
        "rm -rf dist_*/ now",
        "look in lib/**/*.ts and *.js",
        'run jest -t "*_slow_*" with **options and *rest',
        "the key is CACHE_{zone}_{host}",
        "matches ^_tmp_.*$ only",
        "card ****5678, pin ****, or **** **** 5678",
        "2*3*4 is 24, and 2 * 3 * 4 too",
        "E_{k} = \\frac{m_{k} v^2}{2}",
        "f(*args) or f(*args, **kwargs)",
        "the fields _tmp_id_ and *tmp*id*",
        "copy *.py *.js here",
        "a mark *) or 5* is a footnote",
        "fill in ____ and _____ here",
        "it lists `a file",
        "as **bold as this",
        "*tmp*.log is old",
        'delete "*tmp*" first',
        "`5`0 pounds",
    ],
)
def test_marks_that_mean_something_stay(said: str) -> None:
    assert plain_line(said) == said


@pytest.mark.parametrize(
    ("said", "line"),
    [
        ("the loss is $$ L_{a} = \\sum_i *y_i* $$, **not** $x_i *y* z$", None),
        ("`a[i](b)` and ``**c** | _d_``", "a[i](b) and **c** | _d_"),
        ("it is \\( P_{a} *b* | c \\) *here*", "it is \\( P_{a} *b* | c \\) here"),
        ("$5 for *one* and $9 for *two*", "$5 for one and $9 for two"),
    ],
)
def test_text_in_code_and_formulas_stays_as_it_is(said: str, line: str | None) -> None:
    assert plain_line(said) == (said.replace("**not**", "not") if line is None else line)


@given(_phrases)
@examples(200)
def test_words_without_marks_are_never_changed(words: str) -> None:
    assert plain_line(words) == words


@given(_phrases, _phrases, _phrases, st.sampled_from(["*", "**", "***", "__"]))
@examples(200)
@example("a", "b 0", "c", "_")
def test_a_pair_of_marks_around_words_is_removed(before: str, words: str, after: str, marks: str) -> None:
    words = f"Ab {words} c"
    assert plain_line(f"{before} {marks}{words}{marks} {after}") == f"{before} {words} {after}"


@given(_phrases, _inside, st.sampled_from(["``", "$$", "$"]))
@examples(200)
def test_code_and_formulas_are_never_changed(before: str, inside: str, marks: str) -> None:
    inside = " ".join(inside.split())
    kept = "" if marks == "``" else marks
    assert plain_line(f"{before} {marks}{inside}{marks}") == f"{before} {kept}{inside}{kept}"
