"""A service's own summarizer is called instead of the provider; its results are checked, retried and parked alike."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.refinery import SHORT_SEGMENTS
from support.talk import talk
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.database.engines import connect
from turnfold.errors import InvalidSettings
from turnfold.testing import LocalTurnfold, in_memory
from turnfold_worker import summarizers
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.local.stack import Stack
from turnfold_worker.operate.doctor.workers import check_summarizer
from turnfold_worker.summarizers import load_summarizer
from turnfold_worker.wiring.models import refine_target

DOCUMENT = Path(__file__).parents[3] / "docs" / "model.md"
WRONG = """
import time
from turnfold_worker.summarizers import ModelRefused, ModelWaits

def lies(request):
    note = {"turns": [1], "speaker": "Ana", "text": "Ana bought 900 umbrellas.", "importance": 5}
    return {"segments": [{"segment": 1, "notes": [note], "quotes": [], "filler": [], "tags": []}]}

def breaks(request):
    raise RuntimeError("a secret of " + request.user)

def hangs(request):
    time.sleep(60)

def refuses(request):
    raise ModelRefused("too long")

def waits(request):
    raise ModelWaits("closed today", seconds=60)

def numbers(request):
    return 7

nothing = None
"""
pytestmark = pytest.mark.usefixtures("written")


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (example,) = re.findall(r"```python\n(# notes_of_ours\.py.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "notes_of_ours.py").write_text(example, encoding="utf-8")
    (tmp_path / "notes_gone_wrong.py").write_text(WRONG, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in ("notes_of_ours", "notes_gone_wrong"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def plain() -> str:
    """The context without a summarizer."""
    with in_memory() as tf:
        tf.configure("c", settings=SHORT_SEGMENTS)
        tf.append("c", talk("c", 16))
        tf.fold_now()
        return tf.context("c", budget_tokens=2_000).text


def refined(name: str, **values: Any) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], str]:
    """Return (state, attempts, error) of the first job, the notes, and the context."""
    with in_memory(summarizer=name, call_attempts=1, refine_segments=2, **values) as tf:
        tf.configure("c", settings=SHORT_SEGMENTS)
        tf.append("c", talk("c", 16))
        tf.refine_now()
        return jobs(tf), rows(tf, "SELECT body, model FROM model_note"), tf.context("c", budget_tokens=2_000).text


def rows(tf: LocalTurnfold, sql: str) -> list[tuple[Any, ...]]:
    with tf.engine.begin() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(sql)]


def jobs(tf: LocalTurnfold) -> list[tuple[Any, ...]]:
    return rows(tf, "SELECT state, attempts, error FROM job WHERE kind = 'refine' ORDER BY id")


def test_the_example_of_the_document_writes_notes_that_contexts_show() -> None:
    made, notes, shown = refined("notes_of_ours:write_notes")
    assert made[0][0] == "done"
    assert notes
    assert {model for _, model in notes} == {"notes_of_ours:write_notes"}
    assert any(body in shown for body, _ in notes)


def test_a_lie_of_it_is_left_out() -> None:
    made, notes, shown = refined("notes_gone_wrong:lies")
    assert (made[0][0], notes) == ("done", [])
    assert "umbrellas" not in shown


@pytest.mark.parametrize(
    ("name", "values", "job"),
    [
        ("breaks", {}, ("due", 1, "the summarizer failed: RuntimeError")),
        ("breaks", {"refine_attempts": 1}, ("parked", 1, "the summarizer failed: RuntimeError")),
        ("hangs", {"call_seconds": 0.05}, ("due", 1, "no answer from the summarizer within 0.05 s")),
        ("numbers", {}, ("due", 1, "the summarizer returned a int instead of JSON")),
        ("refuses", {}, ("parked", 1, "too long")), ("waits", {}, ("due", 0, "closed today")),
        ("nothing", {}, ("due", 0, "the summarizer cannot be imported: run `turnfold doctor` for the reason")),
    ],
)  # fmt: skip
def test_its_failures_are_tried_again_or_parked_and_contexts_are_those_without_it(
    plain: str, name: str, values: dict[str, Any], job: tuple[str, int, str]
) -> None:
    made, notes, shown = refined(f"notes_gone_wrong:{name}", **values)
    assert made[0] == job
    assert notes == []
    assert shown == plain


def test_the_doctor_says_whether_it_can_be_imported() -> None:
    (well,) = check_summarizer("notes_of_ours:write_notes")
    assert well.ok
    for name, why in (
        ("notes_of_ours:write_note", "AttributeError"), ("notes_of_nobody:write", "ModuleNotFoundError"),
        ("notes_gone_wrong:nothing", "is not callable"), ("ours", "turnfold.summarizers"),
    ):  # fmt: skip
        (found,) = check_summarizer(name)
        assert not found.ok
        assert why in found.detail
    assert check_summarizer("") == []


def test_a_package_offers_one_as_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    offered = summarizers.EntryPoint(name="ours", value="notes_of_ours:write_notes", group=summarizers.ENTRY_POINTS)
    monkeypatch.setattr(summarizers, "entry_points", lambda group: summarizers_of(offered, group))
    assert load_summarizer("ours").__name__ == "write_notes"  # type: ignore[attr-defined]
    with pytest.raises(InvalidSettings, match="theirs"):
        load_summarizer("theirs")


def summarizers_of(offered: Any, group: str) -> Any:
    from importlib.metadata import EntryPoints

    return EntryPoints([offered]).select(group=group)


@pytest.mark.processes
@pytest.mark.long
def test_a_real_refine_worker_calls_it(server_folder: Path, tmp_path: Path) -> None:
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("TURNFOLD_", "OPENAI_"))}
    environment = {
        **plain, "PYTHONPATH": os.pathsep.join([str(tmp_path), plain.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        "TURNFOLD_SUMMARIZER": "notes_of_ours:write_notes", "TURNFOLD_SWEEP_SECONDS": "0.5",
        "TURNFOLD_REFINE_IDLE_SECONDS": "1",
    }  # fmt: skip
    with Stack(server_folder, environment=environment) as stack:
        assert set(stack.workers) == {"ingest", "compress", "refine"}
        with Turnfold.from_settings(stack.settings) as tf:
            tf.configure("a", settings=SHORT_SEGMENTS)
            tf.append("a", talk("a", 40))
            tf.wait("a", timeout_seconds=90)
        engine = connect(stack.settings.database_url, write=True, timeout_seconds=10)
        admin = SqlRefinementAdmin(engine, refine_target(stack.settings))
        done: Callable[[], bool] = lambda: (counts := admin.counts("default", None)).done >= 2 and not counts.open  # noqa: E731
        wait_until(done, what="every group is refined")
        engine.dispose()
