"""The rules keep every anchor that the benchmark's constructed cases require."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[4] / "benchmarks"
KNOWN_TO_FAIL = {"less-plain-2", "less-plain-8", "less-plain-11", "less-plain-13"}
CASES = [json.loads(line) for line in (BENCHMARKS / "anchor_cases.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("anchor_cases", BENCHMARKS / "anchor_cases.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_keeps_what_must_be_kept(benchmark: ModuleType, case: dict[str, object]) -> None:
    faults = benchmark.missing(case, benchmark.anchors_of(case["turns"], semantic=False))
    assert bool(faults) == (case["id"] in KNOWN_TO_FAIL), faults
