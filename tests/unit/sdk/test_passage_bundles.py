"""Bundles of packed passages return the wanted ones, by number."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold.contract.passages import PASSAGES_A_BUNDLE, PLACES, bundle_of, number_of, pack_bundles, passages_among

BODIES = st.lists(st.lists(st.text()).map(lambda texts: json.dumps(texts, ensure_ascii=False)), min_size=1, max_size=20)


@given(st.dictionaries(st.integers(1, 2**23 - 1), BODIES, min_size=1, max_size=4), st.data())
@examples(200)
def test_bundles_give_back_the_passages_that_are_wanted(bodies: dict[int, list[str]], data: st.DataObject) -> None:
    passages = [
        (number_of(seq, place), body) for seq, of_turn in sorted(bodies.items()) for place, body in enumerate(of_turn)
    ]
    bundles = pack_bundles(passages)
    wanted = set(data.draw(st.lists(st.sampled_from([number for number, _ in passages]))))
    assert passages_among(bundles, range(2**31)) == passages
    assert passages_among(bundles, wanted) == [passage for passage in passages if passage[0] in wanted]
    assert len(dict(bundles)) == len(bundles) == sum(-(-len(each) // PASSAGES_A_BUNDLE) for each in bodies.values())


def test_no_bundle_holds_passages_of_two_turns() -> None:
    assert bundle_of(number_of(8, 0)) - bundle_of(number_of(7, PLACES - 1)) == 1
