"""A custom summarizer as a model: loaded on first use, called under a deadline."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import cached_property

from turnfold.errors import InvalidSettings
from turnfold.tokens import estimate_tokens
from turnfold_worker.adapters.openai.model import QUOTA_SECONDS
from turnfold_worker.errors import ModelAway, ModelWaits, WorkerError
from turnfold_worker.pipeline.refinement.sources import ModelRequest
from turnfold_worker.ports.models import Finish, ModelReply, Used
from turnfold_worker.summarizers import load_summarizer


class OwnModel:
    """Implements `ports.models.LanguageModel` by a callable."""

    def __init__(self, name: str, *, timeout_seconds: float) -> None:
        """`name` is `module:callable` or an entry point. Imports nothing yet."""
        self._name = name
        self._timeout_seconds = timeout_seconds

    def complete(self, request: ModelRequest) -> ModelReply:
        """Call once. Raises `ModelAway`, `ModelWaits`, `ModelRefused`; their messages hold kinds of errors only."""
        answer = self._answer(request)
        try:
            content = json.dumps(answer, ensure_ascii=False) if isinstance(answer, Mapping) else answer or ""
        except (TypeError, ValueError, RecursionError):
            content = answer
        if not isinstance(content, str):
            raise ModelAway(f"the summarizer returned a {type(answer).__name__} instead of JSON")
        used = Used(input_tokens=request.input_tokens, output_tokens=estimate_tokens(content), estimated=True)
        return ModelReply(content=content, finish=Finish.STOP if content.strip() else Finish.REFUSAL, used=used)

    def close(self) -> None:
        """Do nothing: a callable manages its own connections."""

    def _answer(self, request: ModelRequest) -> object:
        try:
            summarize = self._summarize
        except InvalidSettings:
            msg = "the summarizer cannot be imported"
            raise ModelWaits(msg, remedy="run `turnfold doctor` for the reason", seconds=QUOTA_SECONDS) from None
        answer: Future[object] = Future()
        # In a separate thread: nothing else ends the wait for a callable that hangs.
        threading.Thread(target=_run, args=(answer, summarize, request), daemon=True).start()
        try:
            return answer.result(self._timeout_seconds)
        except TimeoutError:
            msg = f"no answer from the summarizer within {self._timeout_seconds:g} s"
            raise ModelAway(msg) from None
        except WorkerError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the caller's code raises
            msg = f"the summarizer failed: {type(error).__name__}"
            raise ModelAway(msg) from None

    @cached_property
    def _summarize(self) -> Callable[[ModelRequest], object]:
        return load_summarizer(self._name)


def _run(answer: Future[object], summarize: Callable[[ModelRequest], object], request: ModelRequest) -> None:
    try:
        answer.set_result(summarize(request))
    except BaseException as error:  # noqa: BLE001 - passed to the waiting caller
        answer.set_exception(error)
