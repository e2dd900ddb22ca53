"""Custom summarizers instead of a provider's model: a callable, found by its name.

>>> import json
>>> from turnfold_worker.summarizers import ModelRequest
>>> def write_notes(request: ModelRequest) -> str:
...     return json.dumps({"segments": []} if request.purpose == "notes" else {"notes": [], "tags": []})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Protocol

from turnfold.errors import InvalidSettings
from turnfold_worker.errors import ModelAway, ModelRefused, ModelWaits
from turnfold_worker.pipeline.refinement.sources import ModelRequest, Purpose

ENTRY_POINTS: Final = "turnfold.summarizers"
"""The entry point group in which packages offer summarizers by name."""


class Summarizer(Protocol):
    """Answers the requests that a model would get. Called by several threads at once."""

    def __call__(self, request: ModelRequest, /) -> str | Mapping[str, Any] | None:
        """Return JSON that matches `request.schema`, as text or an object; None keeps the text of the rules.

        May raise `ModelWaits` to be called again after some seconds, and `ModelRefused` for a request that can never be
        answered. Any other exception is retried like a failure of a provider.
        """


def load_summarizer(name: str) -> Callable[[ModelRequest], object]:
    """Import the callable named `module:callable` or by an entry point. Raises `InvalidSettings` with the reason."""
    problem = "is not callable"
    try:
        found = _entry_point(name).load()
        if callable(found):
            summarize: Callable[[ModelRequest], object] = found
            return summarize
    except Exception as error:  # noqa: BLE001 - the module is the caller's, and may fail in any way
        problem = f"cannot be imported: {type(error).__name__}: {error}"
    msg = f"TURNFOLD_SUMMARIZER={name} {problem}"
    raise InvalidSettings(msg, remedy="use an importable module:callable, or the name of an entry point")


def _entry_point(name: str) -> EntryPoint:
    if ":" in name:
        return EntryPoint(name=name, value=name, group=ENTRY_POINTS)
    offered = entry_points(group=ENTRY_POINTS)
    if name not in offered.names:
        raise LookupError(f"no package provides this {ENTRY_POINTS} entry point, and it is not module:callable")
    return offered[name]


__all__ = ["ModelRequest", "Purpose", "Summarizer", "load_summarizer", "ModelAway", "ModelWaits", "ModelRefused"]
