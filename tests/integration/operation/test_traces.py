"""Clients, workers, models and the gateway emit spans, collected by OpenTelemetry's own SDK in memory."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import LocalWorker
from support.celery_workers import CeleryWorker
from support.child_processes import child_environment
from support.needed import skip_or_fail
from support.refinery import Refinery
from support.talk import talk_with
from support.waiting import wait_until
from turnfold import AsyncTurnfold, Settings, Turnfold, UnknownMarker

SECRET = "tangerine-41"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone suffices: traces are the same on both databases."""
    return sqlite_url


@pytest.fixture(scope="module")
def traces_folder() -> Path:
    """OpenTelemetry's SDK, on this process's path. Skips without it, but fails where CI is set."""
    folder = Path(sys.prefix) / "traces"
    if not folder.is_dir():
        skip_or_fail(f"no OpenTelemetry in {folder}: make lint installs it")
    sys.path.append(str(folder))
    return folder


@pytest.fixture(scope="module")
def exporter(traces_folder: Path) -> Any:
    """An exporter of this process's spans; a process can set its tracer provider only once."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider):
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
    assert isinstance(provider, TracerProvider)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return exporter


@pytest.fixture
def spans(exporter: Any) -> Iterator[Callable[[], list[Any]]]:
    """Returns the spans that ended since the test began."""
    exporter.clear()
    yield lambda: list(exporter.get_finished_spans())
    exporter.clear()


def verbs(spans: list[Any]) -> list[tuple[str, str]]:
    return [(span.name, span.attributes.get("turnfold.verb", "")) for span in spans]


def test_a_clients_verbs_are_operations_of_a_memory(tf: Turnfold, spans: Callable[[], list[Any]]) -> None:
    receipt = tf.append("c", [{"role": "user", "content": f"The code is {SECRET}."}] * 2)
    context = tf.context("c", budget_tokens=500, query=SECRET)
    tf.expand("c", "L0:turn-1")
    tf.search("c", SECRET)
    tf.edit("c", receipt.turn_ids[0], content="Never mind.")

    assert verbs(spans()) == [
        ("create_memory", "append"), ("search_memory", "context"), ("search_memory", "expand"),
        ("search_memory", "search"), ("update_memory", "edit"),
    ]  # fmt: skip
    append, read, *_ = spans()
    assert append.kind.name == read.kind.name == "CLIENT"
    assert dict(append.attributes) == {
        "gen_ai.operation.name": "create_memory", "gen_ai.conversation.id": "c", "gen_ai.memory.store.id": "acme",
        "gen_ai.memory.record.count": 2, "turnfold.verb": "append",
    }  # fmt: skip
    assert (read.attributes["turnfold.budget_tokens"], read.attributes["turnfold.tokens"]) == (500, context.tokens)
    assert SECRET not in "".join(span.to_json() for span in spans())


def test_an_error_is_told_by_its_kind_alone(tf: Turnfold, spans: Callable[[], list[Any]]) -> None:
    tf.append("c", {"role": "user", "content": "Hello."})
    with pytest.raises(UnknownMarker):
        tf.expand("c", f"L1:{SECRET}-9")
    failed = spans()[-1]
    assert failed.attributes["error.type"] == "UnknownMarker"
    assert failed.status.status_code.name == "ERROR"
    assert failed.events == ()
    assert SECRET not in failed.to_json()


async def test_a_span_of_the_caller_is_the_parent_across_threads(
    settings: Settings, spans: Callable[[], list[Any]]
) -> None:
    from opentelemetry import trace

    async with AsyncTurnfold(settings=settings) as client:
        with trace.get_tracer("test").start_as_current_span("chat") as chat:
            await asyncio.gather(*(client.context(name, budget_tokens=500) for name in ("a", "b")))
    read = [span for span in spans() if span.name == "search_memory"]
    assert [span.parent.span_id for span in read] == [chat.get_span_context().span_id] * 2


def test_a_worker_tells_what_it_folds(tf: Turnfold, local: LocalWorker, spans: Callable[[], list[Any]]) -> None:
    tf.configure("c", settings={"segment_max_turns": 8})
    tf.append("c", talk_with(f"The code is {SECRET}.", "traces", 48))
    local.settle()
    folds = [span for span in spans() if span.attributes.get("turnfold.verb") == "fold"]
    assert sum(span.attributes["turnfold.segments"] for span in folds) == tf.status("c").segments > 0
    assert {span.name for span in folds} == {"upsert_memory"}
    assert SECRET not in "".join(span.to_json() for span in spans())


def test_a_refinement_stands_above_its_calls_of_a_model(refinery: Refinery, spans: Callable[[], list[Any]]) -> None:
    refinery.fold("c", talk_with(f"The code is {SECRET}.", "traces", 60))
    chats = [span for span in spans() if span.name.startswith("chat ")]
    refinements = {span.context.span_id for span in spans() if span.attributes.get("turnfold.verb") == "refine"}
    assert chats
    assert {span.parent.span_id for span in chats} <= refinements
    assert chats[0].attributes["gen_ai.operation.name"] == "chat"
    assert chats[0].attributes["gen_ai.usage.input_tokens"] > 0
    assert chats[0].kind.name == "CLIENT"
    assert SECRET not in "".join(span.to_json() for span in spans())


async def test_a_request_of_the_gateway_continues_the_callers_trace(
    settings: Settings, spans: Callable[[], list[Any]]
) -> None:
    from turnfold_gateway.app import create_app
    from turnfold_gateway.keys.store import KeyStore
    from turnfold_gateway.settings import GatewaySettings

    with contextlib.closing(KeyStore(settings)) as store:
        key = str(store.create("acme", "test", ("append", "read")))
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    headers = {"Authorization": f"Bearer {key}", "traceparent": f"00-{trace_id}-b7ad6b7169203331-01"}
    app = create_app(GatewaySettings(turnfold=settings))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://gateway", headers=headers) as http:
            answer = await http.post("/v1/conversations/team%2Fc/context", json={"budget_tokens": 500})
            refused = await http.get("/v1/conversations/c/status", headers={"Authorization": ""})
    served = [span for span in spans() if span.kind.name == "SERVER"]
    reads = {span.attributes.get("gen_ai.conversation.id"): span for span in spans()}
    read = reads["team/c"]
    assert (answer.status_code, refused.status_code) == (200, 401)
    assert [span.attributes["http.response.status_code"] for span in served] == [200, 401]
    assert served[0].name == "POST /v1/conversations/{conversation}/context"
    assert f"{served[0].context.trace_id:032x}" == f"{read.context.trace_id:032x}" == trace_id
    assert read.parent.span_id == served[0].context.span_id


@pytest.mark.parametrize("loaded", ["sys", "opentelemetry.trace"])
def test_a_program_that_has_set_nothing_up_makes_no_spans(loaded: str) -> None:
    program = (
        f"import sys, {loaded}\nfrom turnfold.telemetry import memory_span, trace_ids, tracer\n"
        "with memory_span('create_memory', 'append', {}) as span:\n    print(span, tracer(), trace_ids())\n"
        "print('opentelemetry.trace' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=120,
        env=child_environment(),
    )  # fmt: skip
    assert done.stdout == f"None None {{}}\n{loaded != 'sys'}\n"


@pytest.mark.long
@pytest.mark.processes
def test_a_worker_sends_its_tasks_and_folds_by_otlp(
    tf: Turnfold, traces_folder: Path, start_worker: Callable[..., CeleryWorker]
) -> None:
    received: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - http.server's name
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        start_worker(
            "traced", "turnfold.ingest", "turnfold.compress", TURNFOLD_OTEL="on", TURNFOLD_FOLD_TURNS="1",
            TURNFOLD_LOG_FORMAT="json", OTEL_BSP_SCHEDULE_DELAY="200",
            OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server_port}",
            PYTHONPATH=os.pathsep.join([*filter(None, sys.path), str(traces_folder)]),
        )  # fmt: skip
        tf.append("c", {"role": "user", "content": f"The code is {SECRET}."})
        tf.wait("c", timeout_seconds=90)
        # An OTLP message contains names as plain bytes.
        names = (b"run/turnfold.drain", b"run/turnfold.compress", b"upsert_memory", b"turnfold-worker")
        wait_until(lambda: all(name in b"".join(received) for name in names), what=f"spans of {names}")
        collector.shutdown()
    assert SECRET.encode() not in b"".join(received)
