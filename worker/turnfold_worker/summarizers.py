"""A summarizer of one's own in the place of a provider's model: a callable, found by its name.

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
"""The group of entry points in which packages offer summarizers by name."""


class Summarizer(Protocol):
    """Answers what a model would be asked. Called by several threads at once."""

    def __call__(self, request: ModelRequest, /) -> str | Mapping[str, Any] | None:
        """JSON of `request.schema`, as a text or an object; None for no answer: the rules' words stay.

        May raise `ModelWaits` to be left alone for some seconds, and `ModelRefused` for a request that it will never
        take; whatever else it raises is tried again like a provider's failure.
        """


def load_summarizer(name: str) -> Callable[[ModelRequest], object]:
    """The callable of `module:callable`, or of an entry point. Raises `InvalidSettings`, saying what is wrong."""
    problem = "is no callable"
    try:
        found = _entry_point(name).load()
        if callable(found):
            summarize: Callable[[ModelRequest], object] = found
            return summarize
    except Exception as error:  # noqa: BLE001 - the module is the caller's, and may fail in any way
        problem = f"cannot be imported: {type(error).__name__}: {error}"
    msg = f"TURNFOLD_SUMMARIZER={name} {problem}"
    raise InvalidSettings(msg, remedy="name a module:callable that can be imported here, or an entry point")


def _entry_point(name: str) -> EntryPoint:
    if ":" in name:
        return EntryPoint(name=name, value=name, group=ENTRY_POINTS)
    offered = entry_points(group=ENTRY_POINTS)
    if name not in offered.names:
        raise LookupError(f"no package offers it as an entry point of {ENTRY_POINTS}, and it is not module:callable")
    return offered[name]


__all__ = ["ModelRequest", "Purpose", "Summarizer", "load_summarizer", "ModelAway", "ModelWaits", "ModelRefused"]
