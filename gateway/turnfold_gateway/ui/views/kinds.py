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
    Kind("system", "System text", "instructions from the operator"),
    Kind("task", "Task and requests", "the task, and what users asked an agent to do"),
    Kind("anchors", "Standing facts", "constraints, decisions and the like that are in force, verbatim"),
    Kind("names", "Names", "people, paths and identifiers that came up"),
    Kind("background", "Past in notes", "the whole past as notes under markers"),
    Kind("often", "In detail", "segments that are expanded often"),
    Kind("excerpts", "For the question", "notes and turns retrieved for the question"),
    Kind("expanded", "Expanded", "what the caller asked to expand"),
    Kind("actions", "Work done", "actions taken with tools"),
    Kind("recent", "Recent turns", "the latest turns, verbatim"),
    Kind("frame", "Frame", "lines that delimit the record, so that no turn can end it"),
)
"""Parts of a context, in the order of a legend."""

ANCHORS: Final = _by_name(
    Kind("constraint", "Constraint", "a hard limit: what must always or never hold"),
    Kind("instruction", "Instruction", "what an assistant must do every time"),
    Kind("decision", "Decision", "what was settled"),
    Kind("commitment", "Commitment", "a promise"),
    Kind("preference", "Preference", "how a speaker wants things done"),
    Kind("unresolved_question", "Open question", "a question not answered yet"),
    Kind("critical_fact", "Fact", "a fact to preserve"),
    Kind("correction", "Correction", "a correction of an earlier statement"),
)

STATES: Final = _by_name(
    Kind("active", "Active", "in force"),
    Kind("resolved", "Resolved", "answered or done"),
    Kind("superseded", "Superseded", "replaced by a later statement"),
    Kind("duplicate", "Duplicate", "repeats another statement"),
    Kind("dismissed", "Dismissed", "marked as unimportant by a person"),
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
