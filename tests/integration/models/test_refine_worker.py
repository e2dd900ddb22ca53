"""With a model, `turnfold up` starts a refine worker, a real Celery worker with threads that executes the jobs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.refinery import SHORT_SEGMENTS
from support.talk import talk
from support.waiting import wait_until
from turnfold import Turnfold
from turnfold.database.engines import connect
from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin
from turnfold_worker.local.stack import Stack
from turnfold_worker.testing import model_server as behaves
from turnfold_worker.testing.model_server import OpenAIServer
from turnfold_worker.wiring.models import refine_target

pytestmark = pytest.mark.processes


def plain_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("TURNFOLD_", "OPENAI_"))}


def test_up_with_a_model_refines_through_failures(server_folder: Path, openai_server: OpenAIServer) -> None:
    openai_server.then(behaves.SERVER_ERROR, behaves.RATE_LIMITED, behaves.DROPPED)
    environment = {
        **plain_environment(), "TURNFOLD_OPENAI_BASE_URL": openai_server.base_url, "TURNFOLD_SWEEP_SECONDS": "0.5",
        "TURNFOLD_REPUBLISH_SECONDS": "2", "TURNFOLD_REFINE_IDLE_SECONDS": "1",
    }  # fmt: skip
    with Stack(server_folder, environment=environment, compress_workers=1) as stack:
        assert set(stack.workers) == {"ingest", "compress", "refine"}
        assert stack.as_json()["refine"] == "on"
        with Turnfold.from_settings(stack.settings) as tf:
            for name in ("a", "b"):
                tf.configure(name, settings=SHORT_SEGMENTS)
                tf.append(name, talk(name, 60))
                tf.wait(name, timeout_seconds=90)
        engine = connect(stack.settings.database_url, write=True, timeout_seconds=10)
        admin = SqlRefinementAdmin(engine, refine_target(stack.settings))
        wait_until(
            lambda: (counts := admin.counts("default", None)).done >= 2 and not counts.open,
            what="every chapter is refined",
        )  # fmt: skip
        engine.dispose()
        log = (server_folder / "refine.log").read_text()
        assert "notes written" in log
        assert "note a-1" not in log


def test_up_without_a_model_has_no_refine_worker(server_folder: Path) -> None:
    with Stack(server_folder, environment=plain_environment(), compress_workers=0) as stack:
        assert set(stack.workers) == {"ingest"}
        assert stack.as_json()["refine"] == "off"
