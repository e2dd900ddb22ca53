from __future__ import annotations

import subprocess
import sys

import pytest

from support.child_processes import child_environment
from turnfold import InvalidInput, InvalidSettings
from turnfold.testing import in_memory
from turnfold_worker.testing import local


def imported(without: str) -> subprocess.CompletedProcess[str]:
    """Import `turnfold.testing` in a process without the given package."""
    program = f"import sys; sys.modules[{without!r}] = None; import turnfold.testing"
    environment = child_environment()
    return subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True, env=environment, timeout=60
    )


def test_without_the_worker_it_says_what_to_install() -> None:
    error = imported(without="turnfold_worker").stderr.splitlines()[-1]
    assert error.startswith("ModuleNotFoundError: turnfold.testing needs turnfold_worker, which is not installed")
    assert "pip install 'turnfold-worker[testing]'" in error


def test_another_package_that_is_missing_is_named_as_python_does() -> None:
    error = imported(without="alembic").stderr.splitlines()[-1]
    assert error.startswith("ModuleNotFoundError: import of alembic halted")


@pytest.mark.parametrize(
    ("missing", "named"),
    [({"fakeredis"}, "fakeredis"), ({"lupa"}, "lupa"), ({"fakeredis", "lupa"}, "fakeredis and lupa")],
)
def test_without_fakeredis_memory_says_what_to_install(
    missing: set[str], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "find_spec", lambda package: None if package in missing else package)
    with pytest.raises(InvalidSettings, match=rf"needs {named}: pip install 'turnfold-worker\[testing\]'"), in_memory():
        pass


def test_an_unknown_setting_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidSettings, match=r"tennant.*use redis_url.*lease_seconds"):
        in_memory(tennant="acme").__enter__()


def test_the_environment_of_whoever_runs_the_tests_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNFOLD_TENANT", "production")
    monkeypatch.setenv("TURNFOLD_OPENAI_API_KEY", "a real one")
    with in_memory() as tf:
        assert tf.tenant == "default"
        with pytest.raises(InvalidSettings, match="needs a model"):
            tf.refine_now()


def test_one_in_memory_has_no_address() -> None:
    with in_memory() as tf, pytest.raises(InvalidInput, match=r"use embedded\(\)"):
        _ = tf.environment


def test_two_in_memory_share_nothing() -> None:
    with in_memory() as one, in_memory() as other:
        one.append("c", {"role": "user", "content": "Hi."})
        assert (one.drain_now(), other.drain_now()) == (1, 0)
        assert (one.status("c").stored, other.status("c").stored) == (1, 0)
