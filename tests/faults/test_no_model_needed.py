"""I7: with a model that always fails, rows and contexts equal those of a run without a model, for any conversation."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from support.conversations import conversations
from support.examples import examples
from support.refinery import SHORT_SEGMENTS, Refinery
from support.seals import unsealed
from turnfold_worker.offline import fold
from turnfold_worker.testing import model_server as behaves
from turnfold_worker.testing.model_server import Behaviour, OpenAIServer

FAILING = (
    behaves.SERVER_ERROR, behaves.NO_QUOTA, behaves.HTML, behaves.BROKEN_BODY, behaves.DROPPED, behaves.CUT_SHORT,
    behaves.NO_CHOICES, behaves.NOT_JSON, behaves.WRONG_SCHEMA, behaves.REFUSAL, behaves.error(400),
    Behaviour(content='{"segments": [{"segment": 1, "notes": [], "quotes": [], "tags": []}]}'),
    Behaviour(
        content='{"segments": [{"segment": 1, "notes": [{"turns": [1], "speaker": "user", "text": "They wept.", '
        '"day": "", "importance": 5}], "quotes": [{"turn": 1, "type": "decision", "quote": "nobody ever said these '
        'words"}], "tags": ["xylophone"]}]}'
    ),
    Behaviour(finish="length", content='{"segments": [{"segment"'),
)  # fmt: skip

_number = itertools.count()


@examples(12, suppress_health_check=list(HealthCheck))
@given(turns=conversations(most=60), failures=st.lists(st.sampled_from(FAILING), min_size=1, max_size=4))
def test_with_a_model_that_always_fails_everything_is_as_without_one(
    make_refinery: Callable[..., Refinery], openai_server: OpenAIServer, turns: list[dict[str, Any]],
    failures: list[Behaviour],
) -> None:  # fmt: skip
    name = f"c{next(_number)}"
    rotation = itertools.cycle(failures)
    openai_server.choose = lambda _: next(rotation)
    refinery = make_refinery(call_attempts=2, refine_attempts=2)
    refinery.forget_limits()
    refinery.fold(name, turns)
    refinery.go_on()
    alone = fold(turns, conversation_id=name, settings=SHORT_SEGMENTS)
    assert refinery.local.digest(name) == alone.digest()
    # The client generates an id for a turn without one, so ids differ.
    ours, theirs = refinery.tf.anchors(name, states=None), alone.anchors(states=None)
    assert [replace(one, turn_id=None) for one in ours] == [replace(one, turn_id=None) for one in theirs]
    for policy, budget in itertools.product(("balanced", "recency"), (400, 3_000)):
        mine = refinery.tf.context(name, budget_tokens=budget, policy=policy)
        theirs = alone.context(budget_tokens=budget, policy=policy)
        assert (unsealed(mine.text), mine.tokens) == (unsealed(theirs.text), theirs.tokens)
    alone.close()
