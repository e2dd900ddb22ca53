"""Programs that tests fork behave like freshly started processes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import TimeoutExpired

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.forked_programs import ForkedProgram, is_forkable
from support.waiting import wait_until

PROGRAM = """
import atexit, os, sys, time

def tells():
    atexit.register(lambda: print("the end", flush=True))
    print(sys.argv, sorted(os.environ), flush=True)
    print("an error", file=sys.stderr)

def refuses():
    sys.exit(3)

def fails():
    raise ValueError("a failure")

def stays():
    print("ready", flush=True)
    time.sleep(60)
"""

Start = Callable[[str], ForkedProgram]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "program.log"


@pytest.fixture
def start(tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    (tmp_path / "forked_example.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    started: list[ForkedProgram] = []

    def start(function: str) -> ForkedProgram:
        started.append(ForkedProgram(f"forked_example:{function}", ["name", "-x"], {"ONLY": "this"}, log=log))
        return started[-1]

    yield start
    for program in started:
        program.kill()
        program.wait(30)


def test_it_has_its_arguments_its_environment_and_its_log(start: Start, log: Path) -> None:
    log.write_text("from before\n", encoding="utf-8")
    assert start("tells").wait(30) == 0
    assert log.read_text("utf-8").splitlines() == ["from before", "['name', '-x'] ['ONLY']", "an error", "the end"]
    assert "ONLY" not in os.environ


def test_its_exit_code_is_known(start: Start, log: Path) -> None:
    refused, failed = start("refuses"), start("fails")
    assert (refused.wait(30), failed.wait(30)) == (3, 1)
    assert (refused.poll(), refused.returncode) == (3, 3)
    assert "ValueError: a failure" in log.read_text("utf-8")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_it_leads_a_group_that_a_signal_ends(start: Start, log: Path, number: signal.Signals) -> None:
    program = start("stays")
    assert os.getpgid(program.pid) == program.pid != os.getpgrp()
    wait_until(lambda: "ready" in log.read_text("utf-8"), what="the program has begun")
    assert (program.poll(), program.returncode) == (None, None)
    with pytest.raises(TimeoutExpired):
        program.wait(0)
    os.killpg(program.pid, number)
    assert program.wait(30) == -number
    program.kill()
    program.terminate()
    assert program.returncode == -number


@pytest.mark.parametrize("end", [ForkedProgram.kill, ForkedProgram.terminate])
def test_it_can_be_ended(start: Start, end: Callable[[ForkedProgram], None]) -> None:
    program = start("stays")
    end(program)
    assert program.wait(30) < 0


def test_what_only_a_start_reads_needs_one() -> None:
    assert is_forkable(dict(os.environ))
    assert is_forkable({**os.environ, "TURNFOLD_TENANT": "acme", "PYTHONPATH": os.pathsep.join(["", *sys.path])})
    for name, value in (
        ("LD_PRELOAD", "libfaketime.so"), ("PYTHONHASHSEED", "7"), ("PYTHONPATH", f"{sys.path[-1]}:/an/older/version"),
    ):  # fmt: skip
        assert not is_forkable({**os.environ, name: value})


def test_what_a_start_would_not_have_read_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    assert not is_forkable({name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"})


@given(st.dictionaries(st.text("ABCD_", min_size=1).map("TURNFOLD_{}".format), st.text()))
def test_no_other_variable_makes_a_difference(variables: dict[str, str]) -> None:
    assert is_forkable({**os.environ, **variables})
    assert not is_forkable({**os.environ, **variables, "LD_PRELOAD": "another"})
