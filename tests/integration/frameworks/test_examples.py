"""The scripts of examples/frameworks run as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.child_processes import child_environment
from support.needed import needed_package
from turnfold import Settings

FOLDER = Path(__file__).parents[3] / "examples" / "frameworks"


@pytest.mark.long
@pytest.mark.parametrize("script", sorted(path.name for path in FOLDER.glob("*.py")))
def test_an_example_remembers_its_first_question(script: str, settings: Settings) -> None:
    needed_package(script.removesuffix("_chat.py"))
    environment = child_environment(
        TURNFOLD_REDIS_URL=settings.redis_url, TURNFOLD_DATABASE_URL=settings.database_url,
        HAYSTACK_TELEMETRY_ENABLED="False",
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, FOLDER / script], check=False, capture_output=True, text=True, env=environment, timeout=100
    )
    first, second = (line for line in done.stdout.splitlines() if "I was shown" in line)
    # The first question, its answer, and the second question.
    counts = [int(line.split()[3]) for line in (first, second)]
    assert counts[1] - counts[0] == 2, done.stdout + done.stderr
