"""The numbers in docs/security.md are those of the code."""

from __future__ import annotations

import inspect
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from turnfold.contract.keys import ERASED_SECONDS
from turnfold.contract.terms import rarest
from turnfold.contract.text import ENDS
from turnfold.search import query_times
from turnfold_gateway.header_bounds import HEADER_SECONDS, MOST_HEADER_BYTES
from turnfold_worker.adapters.openai.bounded_http import MOST_REPLY_BYTES
from turnfold_worker.adapters.redis.logs import REWRITE_SECONDS
from turnfold_worker.operate.doctor.servers import SLOW_LOG_SECONDS

ROOT = Path(__file__).parents[2]
PAGE = " ".join((ROOT / "docs" / "security.md").read_text(encoding="utf-8").split())
RAREST = inspect.signature(rarest).parameters["most"].default
LINUX = {
    "extra": "", "python_version": "3.12", "python_full_version": "3.12.0", "sys_platform": "linux",
    "platform_system": "Linux", "platform_machine": "x86_64", "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
}  # fmt: skip
SPANS = {600: "ten minutes", 3_600: "an hour"}


def packages(requirements: list[str]) -> set[str]:
    """Return the packages that requirements install, without extras, including transitive dependencies."""
    installed: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        name = requirement.name.lower().replace("_", "-")
        if name not in installed and (requirement.marker is None or requirement.marker.evaluate(LINUX)):
            installed.add(name)
            waiting += [Requirement(text) for text in requires(name) or ()]
    return installed


CLIENT = tomllib.loads((ROOT / "producer_sdk" / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize(
    "promise",
    [
        f"of a question of more than {2 * ENDS:,} code points its ends are looked for",
        f"of its times those within {query_times.ENDS} of either end",
        f"in the tail its {RAREST} rarest terms",
        f"at most {MOST_HEADER_BYTES // 1_024} KiB of headers, in {HEADER_SECONDS:g} s",
        f"A model's reply is read up to {MOST_REPLY_BYTES // 1_048_576} MiB",
        f"a worker has the append-only file written anew, every {SPANS[REWRITE_SECONDS]} at most",
        f"`turnfold doctor` warns after {SPANS[int(SLOW_LOG_SECONDS)]}",
        f"Redis keeps the receipt of a `forget` for {SPANS[ERASED_SECONDS]}",
        f"The client alone is {1 + len(packages(CLIENT['dependencies']))} packages",
    ],
)
def test_a_number_that_is_promised_is_the_codes(promise: str) -> None:
    assert promise in PAGE
