"""OpenTelemetry spans, through its API alone, in programs that have set up tracing.

This module imports nothing of OpenTelemetry: a program that traces has loaded the API already, and in any other a call
costs one dict lookup. Names follow the GenAI conventions for memories: `gen_ai.memory.store.id` is the tenant,
`gen_ai.conversation.id` the conversation. No attribute contains text of a conversation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

MemoryOperation = Literal["create_memory", "update_memory", "upsert_memory", "delete_memory", "search_memory"]
"""`gen_ai.operation.name`: create, change, create-or-change, delete or look up records."""

Attributes = Mapping[str, str | int | float | bool]

OPERATION: Final = "gen_ai.operation.name"
CONVERSATION: Final = "gen_ai.conversation.id"
STORE: Final = "gen_ai.memory.store.id"
COUNT: Final = "gen_ai.memory.record.count"
VERB: Final = "turnfold.verb"
CONVERSATION_NUMBER: Final = "turnfold.conversation"
"""The conversation's row id, which is what workers know it by."""

_API: Final = "opentelemetry.trace"
_Verb = TypeVar("_Verb", bound=Callable[..., Any])


def tracer() -> Tracer | None:
    """Return this library's tracer; None in a program that does not trace."""
    api: Any = sys.modules.get(_API)
    # A module that is still being imported lacks the attribute; redis-py imports the API where it is installed.
    if not hasattr(api, "get_tracer_provider"):
        return None
    provider = api.get_tracer_provider()
    return None if isinstance(provider, api.ProxyTracerProvider) else _tracer_of(provider)


@lru_cache(maxsize=1)
def _tracer_of(provider: Any) -> Tracer:
    return cast("Tracer", provider.get_tracer("turnfold"))


def trace_ids() -> dict[str, str]:
    """Return the current span's `trace_id` and `span_id` in hex, for logs; empty without a span."""
    api: Any = sys.modules.get(_API)
    if not hasattr(api, "get_current_span"):
        return {}
    context = api.get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"}


@contextmanager
def span(name: str, attributes: Attributes, *, remote: bool = False) -> Iterator[Span | None]:
    """Open a span around work in this process or, with `remote`, in another. Yields None in programs without tracing.

    An exception is recorded by its class name alone, as `error.type`.
    """
    active = tracer()
    if active is None:
        yield None
        return
    from opentelemetry.trace import SpanKind, StatusCode

    kind = SpanKind.CLIENT if remote else SpanKind.INTERNAL
    with active.start_as_current_span(
        name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as opened:
        try:
            yield opened
        except Exception as error:
            opened.set_attribute("error.type", type(error).__qualname__)
            opened.set_status(StatusCode.ERROR)
            raise


def memory_span(
    operation: MemoryOperation, verb: str, attributes: Attributes, *, remote: bool = False
) -> AbstractContextManager[Span | None]:
    """Open a span, as `span` does, around an operation on a memory."""
    return span(operation, {OPERATION: operation, VERB: verb, **attributes}, remote=remote)


def traced(operation: MemoryOperation, measure: Callable[[Any], Attributes] | None = None) -> Callable[[_Verb], _Verb]:
    """Decorate a client method, whose first argument is the conversation, with a span.

    `measure` makes span attributes of what the method returned.
    """

    def decorate(verb: _Verb) -> _Verb:
        @wraps(verb)
        def call(client: Any, *arguments: Any, **named: Any) -> Any:
            if tracer() is None:
                return verb(client, *arguments, **named)
            conversation = arguments[0] if arguments else named.get("conversation_id")
            attributes = {STORE: client.tenant, CONVERSATION: str(conversation)}
            with memory_span(operation, verb.__name__, attributes, remote=True) as opened:
                answer = verb(client, *arguments, **named)
                if opened is not None and measure is not None:
                    opened.set_attributes(measure(answer))
                return answer

        return cast("_Verb", call)

    return decorate
