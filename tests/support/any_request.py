"""Requests generated from an OpenAPI document, both valid and invalid ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode

NEVER = frozenset({500, 501, 502, 504})


def statuses(
    operation: Any, mode: GenerationMode, url: str, headers: dict[str, str], *, examples: int,
    change: Callable[[Case, int], None] = lambda case, place: None,
) -> list[int]:  # fmt: skip
    """Send generated requests, each altered by `change`; fail on a status of `NEVER`, else return all statuses."""
    answered: list[int] = []
    strategy = operation.as_strategy(generation_mode=mode)

    @settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )  # fmt: skip
    @given(case=strategy)
    def send(case: Case) -> None:
        change(case, len(answered))
        response = case.call(base_url=url, headers=headers, timeout=120)
        answered.append(response.status_code)
        assert response.status_code not in NEVER, f"{response.status_code}: {case.as_curl_command()}"
        if response.status_code >= 400:
            # The server answers in plain text what it cannot parse as HTTP.
            assert response.headers["content-type"][0] in {"application/problem+json", "text/plain; charset=utf-8"}

    send()
    return answered
