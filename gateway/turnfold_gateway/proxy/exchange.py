"""One request of the proxy: with memory when it is available, else forwarded unchanged."""

from __future__ import annotations

import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from starlette.applications import Starlette
from starlette.requests import Request

from turnfold import AsyncTurnfold, TurnfoldError, Unavailable
from turnfold.chat_history.caller_turns import Api, UnreadableRequest
from turnfold.chat_history.fold import FoldOptions
from turnfold.chat_history.keeper import CALLERS_FAULT, HistoryKeeper, Kept
from turnfold.contract.keys import checked_id
from turnfold_gateway.inputs import LARGEST_NUMBER, whole_body, whole_number
from turnfold_gateway.problems import problem_of
from turnfold_gateway.proxy.access import Admission, Admitted
from turnfold_gateway.proxy.headers import BUDGET, CONVERSATION, HISTORY, RECALL, TOKENIZER, TOOLS
from turnfold_gateway.proxy.pauses import Pauses
from turnfold_gateway.proxy.upstream import Upstream, proxy_problem
from turnfold_gateway.settings import LEAST_PROXY_BUDGET, GatewaySettings

_Made = TypeVar("_Made")
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Proxy:
    """State shared by all requests."""

    upstream: Upstream
    admission: Admission
    keeper: HistoryKeeper
    pauses: Pauses


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    """Keep the connections to the provider open while the application serves."""
    settings: GatewaySettings = app.state.settings
    upstream = Upstream(settings)
    app.state.proxy = Proxy(
        upstream, Admission(settings),
        HistoryKeeper(
            max_turn_bytes=settings.turnfold.max_turn_bytes, wait_seconds=settings.proxy_wait_seconds
        ),
        Pauses(app.state.cells),
    )  # fmt: skip
    try:
        yield
    finally:
        await upstream.close()


@dataclass(frozen=True, slots=True)
class Wishes:
    """Options from the headers of a request."""

    conversation: str
    fold: FoldOptions
    only_new: bool
    tools: bool


def wishes_of(request: Request, settings: GatewaySettings) -> Wishes | None:
    """Return a request's options; None without a conversation. Raises `Problem`, `InvalidIdentifier`."""
    conversation = request.headers.get(CONVERSATION)
    if conversation is None:
        return None
    history = _choice(request, HISTORY, ("whole", "new"))
    tools = _choice(request, TOOLS, ("off", "on"))
    recall = _choice(request, RECALL, ("on", "off"))
    return Wishes(
        conversation=checked_id("X-Turnfold-Conversation", conversation.encode("latin-1").decode("utf-8", "replace")),
        fold=FoldOptions(
            budget_tokens=_budget(request, settings.proxy_budget_tokens), tokenizer=request.headers.get(TOKENIZER),
            recall=recall == "on",
        ),
        only_new=history == "new", tools=tools == "on",
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Remembered(Generic[_Made]):
    """Result of a request's memory work, or the reason why there was none."""

    made: _Made | None = None
    bypassed: str | None = None
    """Why the request is forwarded unchanged, as a word for a header."""


async def remember(
    proxy: Proxy, admitted: Admitted, document: Mapping[str, Any] | None,
    work: Callable[[Mapping[str, Any]], Awaitable[_Made]],
) -> Remembered[_Made]:  # fmt: skip
    """Run `work` on a request's body if memory is available.

    Raises errors that the caller has to correct: `InvalidBudget`, `InvalidSettings`, `InvalidIdentifier`. On any other
    failure the request is forwarded unchanged.
    """
    if document is None:
        return Remembered(bypassed="unreadable-request")
    if not admitted.has_memory or await proxy.pauses.is_on(admitted.tenant):
        return Remembered(bypassed="unavailable")
    try:
        return Remembered(await work(document))
    except CALLERS_FAULT:
        raise
    except UnreadableRequest:
        reason = "unreadable-request"
    except TurnfoldError as error:
        if isinstance(error, Unavailable):
            await proxy.pauses.begin(admitted.tenant)
        reason = problem_of(error).kind
        _log.warning("a request was forwarded without memory (%s)", reason)
    except Exception as error:  # noqa: BLE001 - logged
        # No failure of ours may stop the application: it asked for its provider, and memory is an addition.
        log_crash("a request was forwarded without memory", error)
        reason = "internal-error"
    return Remembered(bypassed=reason)


def log_crash(what: str, error: Exception) -> None:
    """Log the traceback of an error without its message, which may contain conversation text."""
    _log.error("%s (%s)\n%s", what, type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))


async def kept_history(
    proxy: Proxy, turnfold: AsyncTurnfold, wishes: Wishes, api: Api, document: Mapping[str, Any]
) -> Kept:
    """Append new messages and fold old ones. Raises like `HistoryKeeper.keep`."""
    if document.get("previous_response_id") or document.get("conversation"):
        # The provider stores the history, so there is nothing to fold here.
        read = await proxy.keeper.read(document, api, tokenizer=wishes.fold.tokenizer)
        return await proxy.keeper.record(turnfold, wishes.conversation, read)
    return await proxy.keeper.keep(turnfold, wishes.conversation, document, api, wishes.fold, only_new=wishes.only_new)


async def read_body(request: Request) -> bytes:
    """Read the whole body. Raises `Problem` when it is too large."""
    return await whole_body(
        request.stream(), most_bytes=request.app.state.settings.max_body_bytes,
        remedy="send images as URLs, or raise TURNFOLD_GATEWAY_MAX_BODY_BYTES",
    )  # fmt: skip


def _choice(request: Request, name: str, choices: tuple[str, ...]) -> str:
    """Return a header that has to be one of `choices`; the first one if it is absent."""
    chosen = request.headers.get(name, choices[0]).strip().lower()
    if chosen not in choices:
        raise _bad_header(name, f"must be {' or '.join(choices)}")
    return chosen


def _budget(request: Request, default: int) -> int:
    text = request.headers.get(BUDGET)
    if text is None:
        return default
    budget = whole_number(text)
    if budget is None or budget < LEAST_PROXY_BUDGET:
        raise _bad_header(BUDGET, f"must be a whole number of tokens, {LEAST_PROXY_BUDGET} to {LARGEST_NUMBER}")
    return budget


def _bad_header(name: str, wanted: str) -> Exception:
    shown = "-".join(part.capitalize() for part in name.split("-"))
    return proxy_problem(
        422, "invalid-header", "Invalid header", detail=f"{shown} {wanted}",
        remedy="correct or omit the header",
    )  # fmt: skip
