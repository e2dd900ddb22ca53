"""The model of docs/scale.md grows with load, keeps processes below full use, and recovers a known law."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from support.examples import examples

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(BENCHMARKS))
    model: Any = importlib.import_module("capacity_model")
    plans: Any = importlib.import_module("capacity_plan")
    MEASURED: Any = importlib.import_module("capacity_constants").read(BENCHMARKS.parent / "docs" / "scale.json")

rates = some.floats(0.01, 500_000)
groups = some.floats(1, 64)
laws = some.builds(model.Law, *[some.floats(0.001, 10)] * 3)
stages = some.builds(
    model.Stage, laws=laws.map(lambda law: {"service ms": law}), pause=some.floats(0.01, 1),
    most_turns_a_task=some.floats(1, 10_000), variation=some.floats(0, 5),
)  # fmt: skip


@examples(200)
@given(some.integers(1, 500), some.floats(0, 0.999), some.floats(1e-4, 10), some.floats(0, 10))
def test_waiting_grows_with_load_and_variation_and_falls_with_processes(
    servers: int, share: float, service: float, variation: float
) -> None:
    arrivals = share * servers / service
    wait = model.waiting(arrivals, service, servers, variation)

    assert 0 <= wait < math.inf
    assert wait <= model.waiting(arrivals * 1.0005, service, servers, variation) * (1 + 1e-9)
    assert wait <= model.waiting(arrivals, service, servers, variation + 1)
    assert wait >= model.waiting(arrivals, service, servers + 1, variation)
    assert model.waiting(1.001 * servers / service, service, servers, variation) == math.inf


@given(some.floats(0.01, 0.99), some.floats(1e-3, 10), some.floats(0, 10))
def test_with_one_process_it_is_the_formula_of_pollaczek_and_khinchine(
    busy: float, service: float, variation: float
) -> None:
    exact = busy * service * (1 + variation) / (2 * (1 - busy))

    assert model.waiting(busy / service, service, 1, variation) == pytest.approx(exact)


@given(some.integers(1, 60), some.floats(0.05, 0.95))
def test_the_probability_to_wait_is_erlangs(servers: int, share: float) -> None:
    load = share * servers
    terms = [load**n / math.factorial(n) for n in range(servers)]
    last = load**servers / math.factorial(servers) / (1 - share)

    assert model.erlang_c(servers, load) == pytest.approx(last / (sum(terms) + last))


@given(laws, some.lists(some.tuples(groups, some.floats(1, 50)), min_size=6, max_size=12, unique=True))
def test_a_law_is_found_again_from_what_it_says(law: Any, shapes: list[tuple[float, float]]) -> None:
    points = [model.Point(group, group * many, law.at(group, group * many)) for group, many in shapes]

    fitted = model.fit(points)

    assert min(fitted) >= 0
    assert [fitted.at(p.turns_a_group, p.turns_a_task) for p in points] == pytest.approx(
        [p.cost for p in points], rel=0.02
    )


@examples(200)
@given(stages, rates, groups, some.floats(1, 3))
def test_more_turns_never_need_fewer_processes_and_none_is_busier_than_the_limit(
    stage: Any, rate: float, group: float, more: float
) -> None:
    few = model.staff(stage, rate, group)

    assert 0 < few.utilisation <= model.BUSY * (1 + 1e-9)
    assert 0 <= few.wait < math.inf
    assert few.processes <= model.staff(stage, rate * more, group).processes


@given(some.floats(1e3, 1e10), some.floats(1, 50), some.sampled_from(sorted(MEASURED)), some.integers(1, 16))
def test_each_part_of_a_plan_grows_with_the_load(turns: float, more: float, size: str, k: int) -> None:
    few, many = (
        plans.plan(MEASURED[size], plans.Load(turns_a_day=day, turns_a_fold=k), plans.Limits(), plans.PRICES)
        for day in (turns, turns * more)
    )

    assert few.utilisation("store") <= model.BUSY * (1 + 1e-9)
    assert few.utilisation("fold") <= model.BUSY * (1 + 1e-9)
    shrunk = [name for name in few.needs if few.needs[name] > many.needs[name] * (1 + 1e-9)]
    assert shrunk == []
    assert few.dollars <= many.dollars * (1 + 1e-9)
