"""Reconstruct text for a node whose turns were removed: requested by a reader, written by a model, labelled as such."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnfold.contract.records import ConversationId
from turnfold_worker.pipeline.refinement.reconstruction import accept_passage, reconstruction_request
from turnfold_worker.pipeline.refinement.replies import BadForm, read_passage
from turnfold_worker.pipeline.refinement.sources import Prompt
from turnfold_worker.ports.models import Finish
from turnfold_worker.use_cases.model_calls import ModelCalls

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.refinements import SqlRefinements


def reconstruct(
    conversation: ConversationId, height: int, idx: int, *, store: SqlRefinements, calls: ModelCalls,
    detailed: Prompt, from_facts: Prompt,
) -> str:  # fmt: skip
    """Reconstruct a node and return the outcome: a segment from its level 1, a chapter from its facts.

    Raises the errors of `ModelCalls.ask`; the caller may ask again.
    """
    remains = store.remains(conversation, height, idx)
    if remains is None:
        return "nothing to reconstruct"
    prompt = detailed if height == 0 else from_facts
    model = store.target.summarize_model
    reply = calls.ask(remains.owner, reconstruction_request(remains.kept, model=model, prompt=prompt))
    passage = read_passage(reply.content) if reply.finish is Finish.STOP else BadForm("the reply was cut off")
    if isinstance(passage, BadForm):
        return f"refused: {passage.problem}"
    text = accept_passage(passage, remains.kept)
    if not isinstance(text, str):
        return f"refused: {', '.join(text)}"
    written = store.commit_reconstruction(remains, text, model=model, prompt_version=prompt.version)
    return "reconstructed" if written else "the node has changed"
