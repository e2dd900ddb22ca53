"""One request to a model, with everything that a call needs around it: cache, caps, limits, circuit breaker, retries.

Exactly one layer retries a call: this one, for seconds. Longer waits go back to the job table.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    stop_after_delay,
    wait_random_exponential,
)

from turnfold.telemetry import OPERATION, span
from turnfold_worker.errors import ModelAway, ModelWaits, StoreAway
from turnfold_worker.pipeline.refinement.sources import ModelRequest
from turnfold_worker.ports.models import LanguageModel, ModelReply, Owner, Reservation

if TYPE_CHECKING:
    from turnfold_worker.adapters.redis.model_limits import RedisModelLimits
    from turnfold_worker.adapters.sql.ledger import SqlLedger

PATIENCE_SECONDS: Final = 5.0
"""The longest that a worker thread waits for a limit; beyond it the work goes back to the job table."""
LONGEST_PAUSE_SECONDS: Final = 20.0


class Redactor(Protocol):
    """Replaces secrets and personal data in a request."""

    def hide(self, request: ModelRequest) -> tuple[ModelRequest, Callable[[str], str]]:
        """Return the request with placeholders, and the function that restores the text in a reply."""


class NoRedaction:
    """Sends requests as they are."""

    def hide(self, request: ModelRequest) -> tuple[ModelRequest, Callable[[str], str]]:
        return request, str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """How often and how long one call is tried."""

    attempts: int
    retry_seconds: float


class ModelCalls:
    """Calls a model. Thread-safe."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        limiter: RedisModelLimits,
        ledger: SqlLedger,
        limits: CallLimits,
        redactor: Redactor | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._model = model
        self._limiter = limiter
        self._ledger = ledger
        self._limits = limits
        self._redactor = redactor or NoRedaction()
        self._sleep = sleep

    def ask(self, owner: Owner, request: ModelRequest) -> ModelReply:
        """Return the reply, from the cache if an equal request was answered before.

        Raises `ModelWaits` when no call may be made now, `ModelAway` when all tries failed, and `ModelRefused`.
        """
        hidden, restore = self._redactor.hide(request)
        reply = self._ledger.cached(owner, hidden)
        if reply is None:
            patient = Retrying(
                retry=retry_if_exception_type(ModelAway),
                stop=stop_after_attempt(self._limits.attempts) | stop_after_delay(self._limits.retry_seconds),
                wait=_pause, sleep=self._sleep, reraise=True,
            )  # fmt: skip
            reply = patient(self._once, owner, hidden)
        return replace(reply, content=restore(reply.content))

    def _once(self, owner: Owner, request: ModelRequest) -> ModelReply:
        reservation = self._ledger.reserve(owner, request)
        tokens = request.input_tokens + request.max_tokens
        try:
            self._wait_for_room(request.model, tokens)
        except BaseException:
            self._ledger.release(reservation, failed=False)
            raise
        try:
            reply = self._completed(request)
        except BaseException as error:
            self._failed(reservation, request.model, tokens, error)
            raise
        # A paid reply is stored first, so that it is never requested again.
        self._ledger.settle(reservation, request, reply)
        with suppress(StoreAway):
            self._limiter.settle(
                request.model, reserved=tokens, used=reply.used.input_tokens + reply.used.output_tokens
            )
            self._limiter.record_success(request.model)
        return reply

    def _completed(self, request: ModelRequest) -> ModelReply:
        attributes = {OPERATION: "chat", "gen_ai.request.model": request.model}
        with span(f"chat {request.model}", attributes, remote=True) as chat:
            reply = self._model.complete(request)
            if chat is not None:
                used = reply.used
                chat.set_attributes({
                    "gen_ai.usage.input_tokens": used.input_tokens, "gen_ai.usage.output_tokens": used.output_tokens,
                    "gen_ai.usage.cache_read.input_tokens": used.cached_tokens,
                    "gen_ai.response.finish_reasons": [str(reply.finish)],
                })  # fmt: skip
            return reply

    def _wait_for_room(self, model: str, tokens: int) -> None:
        waited = 0.0
        while seconds := self._limiter.reserve(model, tokens):
            waited += seconds
            if waited > PATIENCE_SECONDS:
                raise ModelWaits("the limit of requests or tokens per minute is reached", seconds=seconds)
            self._sleep(seconds)
        closed_in = self._limiter.admit(model)
        if closed_in:
            self._limiter.settle(model, reserved=tokens, used=0)
            raise ModelWaits("the model failed too often: calls are paused", seconds=closed_in)

    def _failed(self, reservation: Reservation, model: str, tokens: int, error: BaseException) -> None:
        """Give back the reservation, and share the failure with the other workers."""
        self._ledger.release(reservation, failed=True)
        self._limiter.settle(model, reserved=tokens, used=0)
        if isinstance(error, ModelWaits):
            self._limiter.open_circuit(model, error.seconds)
        elif isinstance(error, ModelAway):
            if error.retry_after_seconds is None:
                self._limiter.record_failure(model)
                return
            # "Too many requests" is not a failure of the model: all workers pause as long as the provider asks.
            self._limiter.pause(model, error.retry_after_seconds)
            if error.retry_after_seconds > PATIENCE_SECONDS:
                msg = f"{error}: the provider asks for a pause"
                raise ModelWaits(msg, seconds=error.retry_after_seconds) from error


_backoff: Final = wait_random_exponential(multiplier=0.5, max=LONGEST_PAUSE_SECONDS)


def _pause(state: RetryCallState) -> float:
    """Return the provider's requested delay, else a random share of an exponentially growing bound."""
    error = state.outcome.exception() if state.outcome is not None else None
    if isinstance(error, ModelAway) and error.retry_after_seconds is not None:
        return error.retry_after_seconds
    return _backoff(state)
