"""A quote is found whatever its spaces, quotation marks and dashes, and its offsets are those of the turn."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.refinement.quotes import SHORTEST, Found, align

AS_WRITTEN = {
    " ": [" ", "  ", "\n", "\u00a0 ", " \u200b", "\t", "\r\n"], "'": ["'", "\u2019", "\u2032"],
    '"': ['"', "\u201c", "\u00bb"], "-": ["-", "\u2013", "\u2212"], "...": ["...", "\u2026"], "e": ["e", "e\u00ad"],
}  # fmt: skip
PARTS = ["don", "'", "ship", " ", "1", "-", "2", '"', "now", "...", "e", "\u00e9t\u00e9", "\U0001f680"]


@st.composite
def written_twice(draw: st.DrawFn) -> tuple[str, str]:
    """Draw the same words in two spellings."""
    parts = draw(st.lists(st.sampled_from(PARTS), min_size=SHORTEST, max_size=40))
    spell = lambda part: draw(st.sampled_from(AS_WRITTEN.get(part, [part])))  # noqa: E731
    return "".join(map(spell, parts)), "".join(map(spell, parts))


def _plain(text: str) -> str:
    for plain, spellings in AS_WRITTEN.items():
        for spelling in sorted(spellings, key=len, reverse=True):
            text = text.replace(spelling, plain)
    return " ".join(text.replace("\u200b", "").split()).strip("\"' ")


@given(written_twice(), st.text(max_size=20), st.text(max_size=20))
def test_a_quote_in_other_marks_is_found_with_the_words_that_were_said(
    spellings: tuple[str, str], before: str, after: str
) -> None:
    said, quoted = spellings
    turn = StoredTurn(seq=4, turn_id="t4", role=Role.USER, content=f"{before} x{said}x {after}", tokens=9)
    place = align(f"x{quoted}x", 4, [turn])
    assert isinstance(place, Found)
    assert _plain(place.text) == _plain(f"x{said}x") or place.span.start < len(before)


def test_what_nobody_said_is_nowhere() -> None:
    turn = StoredTurn(seq=4, turn_id="t4", role=Role.USER, content="We \u201cship\u201d on\n\nMonday \u2026", tokens=9)
    assert align("We 'ship' on Monday", 4, [turn]) is None
    place = align('We "ship"\u00a0on Monday ...', 4, [turn])
    assert place is not None
    assert place.text == turn.content
