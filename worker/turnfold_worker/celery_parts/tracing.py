"""Traces of a worker: OpenTelemetry's Celery instrumentation and exporter, configured by the `OTEL_*` variables."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, Final

SERVICE: Final = "turnfold-worker"


def start_tracing(**_: Any) -> None:
    """Trace this process: a receiver of Celery's `worker_process_init` and `worker_ready`.

    An existing provider, such as one set by `opentelemetry-instrument`, is kept.
    """
    _start(os.getpid())


@cache
def _start(pid: int) -> None:  # noqa: ARG001 - once in each process: an inherited exporter sends nothing
    from opentelemetry import trace
    from opentelemetry.instrumentation.celery import CeleryInstrumentor

    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(_provider())
    instrumentor: Any = CeleryInstrumentor()
    if not instrumentor.is_instrumented_by_opentelemetry:
        instrumentor.instrument()


def _provider() -> Any:
    """Make a provider that sends spans in batches to `OTEL_EXPORTER_OTLP_ENDPOINT`, under `OTEL_SERVICE_NAME`."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = {} if "OTEL_SERVICE_NAME" in os.environ else {SERVICE_NAME: SERVICE}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
