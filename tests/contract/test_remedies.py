"""Every error names its remedy, in its text and as `remedy`."""

from __future__ import annotations

import ast
import copy
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import turnfold
import turnfold_gateway
import turnfold_worker
import turnfold_worker.importing.transcripts
import turnfold_worker.local.flower_process
import turnfold_worker.local.redis_server
import turnfold_worker.local.state
import turnfold_worker.local.worker_process
from turnfold.errors import InvalidInput, TurnfoldError, Unavailable
from turnfold_worker.errors import WorkerError

ROOMS = [Path(package.__file__).parent for package in (turnfold, turnfold_worker, turnfold_gateway)]


def kinds(base: type[Exception]) -> list[type[Exception]]:
    return [base, *(kind for below in base.__subclasses__() for kind in kinds(below))]


KINDS = [*kinds(TurnfoldError), *kinds(WorkerError)]
MAY_SAY_IT_BY_CLASS = {
    *(kind.__name__ for kind in kinds(InvalidInput)),
    *(kind.__name__ for kind in kinds(WorkerError)),
    "PortTaken",
}
"""Invalid input says what is valid, workers recover by themselves, and the caller of a port knows its option."""


def raised() -> Iterator[tuple[str, ast.Call]]:
    """Yield the location and the call of every construction of an error."""
    named = {kind.__name__ for kind in KINDS}
    for path in [path for room in ROOMS for path in sorted(room.rglob("*.py"))]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in named:
                yield f"{path.name}:{node.lineno}", node


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_class_has_a_remedy(kind: type[TurnfoldError | WorkerError]) -> None:
    assert kind.remedy.strip()


def test_what_is_no_fault_of_the_call_is_raised_with_a_remedy_of_its_own() -> None:
    calls = list(raised())
    bare = [
        f"{place} {ast.unparse(call)}"
        for place, call in calls
        if isinstance(call.func, ast.Name) and call.func.id not in MAY_SAY_IT_BY_CLASS
        and not any(keyword.arg == "remedy" for keyword in call.keywords)
    ]  # fmt: skip
    assert len(calls) > 200
    assert bare == []


def test_the_text_is_the_problem_and_its_remedy() -> None:
    error = Unavailable("Redis did not answer", remedy="is it running?")

    assert (error.problem, error.remedy) == ("Redis did not answer", "is it running?")
    assert str(error) == "Redis did not answer: is it running?"


def test_an_error_that_another_process_sent_keeps_both() -> None:
    error = Unavailable("Redis did not answer", remedy="is it running?")

    for sent in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - our own bytes
        assert (str(sent), sent.problem, sent.remedy) == (str(error), error.problem, error.remedy)
