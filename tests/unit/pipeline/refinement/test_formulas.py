"""Formulas in LaTeX are compared in the form in which people write them on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from note_evidence import evidence
from turnfold_worker.pipeline.refinement.formulas import plain_formulas


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"\(\frac{1}{17}\)", "1/17"),
        (r"\frac{\frac{1}{2}}{4}", "1/2/4"),
        (r"\[ P(A \cap B) = P(A) \cdot P(B) \]", " P(A ∩ B) = P(A) × P(B) "),
        (r"\(\text{heads} \approx 50\%\)", "heads ≈ 50%"),
        (r"\(2^{10} \neq 10^{2}\)", "2^10 ≠ 10^2"),
        (r"\(a \timesheet\)", r"a \timesheet"),
        (r"\frac{3 + 5}{4 + 12}", "(3 + 5)/(4 + 12)"),
        (r"C:\left\out", r"C:\left\out"),
        ("C:/frac and 4/52", "C:/frac and 4/52"),
        (r"\frac{1}", r"\frac{1}"),
    ],
)
def test_what_latex_says_in_plain_signs(latex: str, plain: str) -> None:
    assert plain_formulas(latex) == plain


@given(st.text(alphabet="\\fracbinomtext{}()[]$^_ 12x", max_size=300))
def test_any_text_is_read_and_grows_by_little(text: str) -> None:
    plain = plain_formulas(text)
    assert len(plain) <= 2 * len(text)
    assert "\\" in text or plain == text


@pytest.mark.parametrize(
    ("note", "is_faithful"),
    [
        ("The second ace is 3/51 = 1/17, about 5.9%.", True),
        (r"The second ace is \(\frac{3}{51}\), about \(5.9\%\).", True),
        ("The second ace is 3/51 = 1/13, about 5.9%.", False),
        ("The second ace is 3/52 = 1/17.", False),
    ],
)
def test_a_note_may_tell_a_fraction_of_a_formula(note: str, is_faithful: bool) -> None:
    told = r"The second ace is \( \frac{3}{51} = \frac{1}{17} \), about \(5.9\%\)."
    assert (evidence((("", "Bo", told),)).problems(note, [1], "Bo") == []) is is_faithful
