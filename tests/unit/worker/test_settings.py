"""Values that a worker cannot keep to are refused before it starts."""

from __future__ import annotations

from dataclasses import fields

import pytest

from turnfold import InvalidSettings
from turnfold_worker.settings import WorkerSettings

NUMBERS = [field.name for field in fields(WorkerSettings) if field.type == "float"]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_a_number_has_an_end(name: str, text: str) -> None:
    with pytest.raises(InvalidSettings, match=f"TURNFOLD_{name.upper()} must be"):
        WorkerSettings.from_env({f"TURNFOLD_{name.upper()}": text})


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("TURNFOLD_KEEP_LEVEL0_DAYS", "-1"), ("TURNFOLD_KEEP_LEVEL0_DAYS", "1e9"),
        ("TURNFOLD_LEASE_SECONDS", "0"), ("TURNFOLD_LEASE_SECONDS", "86401"),
        ("TURNFOLD_SWEEP_SECONDS", "86401"),
        ("TURNFOLD_PRICES", "local=nan/0/0"), ("TURNFOLD_PRICES", "local=0/0/inf"), ("TURNFOLD_PRICES", "local=1/2"),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_and_its_variable_named(variable: str, text: str) -> None:
    with pytest.raises(InvalidSettings, match=variable):
        WorkerSettings.from_env({variable: text})
