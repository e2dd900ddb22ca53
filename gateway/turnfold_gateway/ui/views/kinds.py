"""Names and explanations of parts, anchors and states, as legends show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Kind(NamedTuple):
    """Legend entry of a colour."""

    name: str
    label: str
    meaning: str


def _by_name(*kinds: Kind) -> Mapping[str, Kind]:
    return {kind.name: kind for kind in kinds}


PARTS: Final = _by_name(
    Kind("system", "System text", "what the operator says"),
    Kind("task", "Task and requests", "the task, and what users asked an agent to do"),
    Kind("anchors", "Standing facts", "constraints, decisions and the like that are in force, word for word"),
    Kind("names", "Names", "people, paths and identifiers that came up"),
    Kind("background", "Past in notes", "the whole past as notes under markers"),
    Kind("often", "In detail", "segments that are looked up often"),
    Kind("excerpts", "For the question", "notes and turns that the question brings"),
    Kind("expanded", "Expanded", "what the caller asked to be shown"),
    Kind("actions", "Work done", "what was done with tools"),
    Kind("recent", "Recent turns", "the last turns as they were said"),
    Kind("frame", "Frame", "lines around the record, so that nothing said can end it"),
)
"""Parts of a context, in the order of a legend."""

ANCHORS: Final = _by_name(
    Kind("constraint", "Constraint", "a hard limit: what must always or never be so"),
    Kind("instruction", "Instruction", "what an assistant is told once and does each time"),
    Kind("decision", "Decision", "what was settled"),
    Kind("commitment", "Commitment", "what somebody promised"),
    Kind("preference", "Preference", "how somebody likes things to be"),
    Kind("unresolved_question", "Open question", "what was asked and not answered"),
    Kind("critical_fact", "Fact", "what must not be lost"),
    Kind("correction", "Correction", "what takes the place of something said before"),
)

STATES: Final = _by_name(
    Kind("active", "Active", "holds now"),
    Kind("resolved", "Resolved", "answered or done"),
    Kind("superseded", "Superseded", "something else took its place"),
    Kind("duplicate", "Duplicate", "said again elsewhere"),
    Kind("dismissed", "Dismissed", "a person said that it does not matter"),
)

LEVELS: Final = ("Full", "Detailed", "Brief", "Tags")
"""Names of levels 0 to 3."""


def part_of(name: str) -> Kind:
    """Return a part's legend entry; an unknown part gets one from its name."""
    return PARTS.get(name) or Kind(name, name.replace("_", " ").capitalize(), "")


def label_of(name: str) -> str:
    """Return the label of a type, state or part."""
    kind = ANCHORS.get(name) or STATES.get(name) or PARTS.get(name)
    return kind.label if kind else name.replace("_", " ")
