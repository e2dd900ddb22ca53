"""OpenAI's Batch API: a file of requests in, a file of replies out, within a day, at half the price."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final

from turnfold.contract.records import ConversationId
from turnfold_worker.adapters.openai.model import OpenAIModel, check_installed, read_completion, status_error
from turnfold_worker.errors import ModelAway
from turnfold_worker.pipeline.refinement.sources import ModelRequest, Purpose
from turnfold_worker.use_cases.refine_in_batches import BatchedReply

if TYPE_CHECKING:
    from openai import OpenAI

ENDPOINT: Final = "/v1/chat/completions"
_ENDED: Final = frozenset({"completed", "failed", "expired", "cancelled"})
_UNKNOWN: Final = ModelRequest(purpose=Purpose.NOTES, model="", prompt_version="", system="", user="", max_tokens=0)
"""A stand-in request: usage that the provider does not report is estimated from the replies alone."""


@contextmanager
def _translated() -> Iterator[None]:
    check_installed()
    import openai

    try:
        yield
    except openai.APIStatusError as error:
        raise status_error(error) from None
    except (openai.OpenAIError, OSError) as error:
        msg = f"the Batch API did not answer: {type(error).__name__}"
        raise ModelAway(msg) from None


class OpenAIBatches:
    """OpenAI's Batch API. Raises `ModelAway`, `ModelWaits` or `ModelRefused`."""

    def __init__(self, *, api_key: str, base_url: str, timeout_seconds: float) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._timeout_seconds = timeout_seconds
        self._model = OpenAIModel(api_key=api_key, base_url=base_url, timeout_seconds=timeout_seconds)

    @cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI

        return OpenAI(
            api_key=self._api_key or "none", base_url=self._base_url or None, max_retries=0,
            timeout=self._timeout_seconds,
        )  # fmt: skip

    def submit(self, requests: Mapping[str, ModelRequest]) -> str:
        """Start a batch of requests by id; return the batch id."""
        lines = [
            json.dumps(
                {"custom_id": id_, "method": "POST", "url": ENDPOINT, "body": self._model.body(request)},
                ensure_ascii=False,
            )
            for id_, request in requests.items()
        ]
        with _translated():
            file = self._client.files.create(
                file=("requests.jsonl", io.BytesIO("\n".join(lines).encode())), purpose="batch"
            )
            batch = self._client.batches.create(input_file_id=file.id, endpoint=ENDPOINT, completion_window="24h")
        return batch.id

    def done(self, batch: str) -> bool:
        """Whether a batch has ended, successfully or not."""
        with _translated():
            return self._client.batches.retrieve(batch).status in _ENDED

    def replies(self, batch: str) -> Iterator[BatchedReply]:
        """Yield the replies of a finished batch."""
        with _translated():
            output = self._client.batches.retrieve(batch).output_file_id
            if output is None:
                return
            lines = self._client.files.content(output).text.splitlines()
        for line in lines:
            found = _reply(line)
            if found is not None:
                yield found

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _reply(line: str) -> BatchedReply | None:
    """Parse a line of the output; None for a failed request, which is sent again as a single call."""
    try:
        answered = json.loads(line)
        conversation, request_hash, purpose = str(answered["custom_id"]).split("-")
        body = answered["response"]["body"]
        if answered["response"]["status_code"] != 200:
            return None
        reply = read_completion(json.dumps(body).encode(), _UNKNOWN)
        return BatchedReply(ConversationId(int(conversation)), request_hash, purpose, reply)
    except (ValueError, KeyError, TypeError, RecursionError, ModelAway):
        return None
