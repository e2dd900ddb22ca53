"""Whether a clause tells what must hold, what is wanted from now on, or how somebody likes things to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from turnfold.contract.records import AnchorType, Role
from turnfold_worker.pipeline.anchors.assistants import Company
from turnfold_worker.pipeline.anchors.rules import standing_rules, statement_rules
from turnfold_worker.pipeline.anchors.rules.rule import Act, Found
from turnfold_worker.pipeline.anchors.statements.when import is_bygone
from turnfold_worker.pipeline.language.spoken import is_question
from turnfold_worker.pipeline.turns.reading import Reading

_POINTS: Final = {AnchorType.CONSTRAINT: 82, AnchorType.INSTRUCTION: 82, AnchorType.PREFERENCE: 72}
_LIKED: Final = 62
"""Points of what somebody only loves or enjoys."""


def points_of(kind: AnchorType, statement: str) -> int:
    """How sure plain words make us that they are of a type that `standing_type` gave."""
    likes = kind is AnchorType.PREFERENCE and not standing_rules.PREFERENCE.search(statement)
    return _LIKED if likes else _POINTS[kind]


def standing_type(statement: str, reading: Reading, acts: Sequence[Found], company: Company) -> AnchorType | None:
    """The type of what a clause in plain words says for all that follows; None where it says nothing of the kind.

    An assistant sets no limits and has no tastes; it is told nothing where no assistant is among the speakers.
    """
    if company.by_assistant or reading.tool:
        return None
    role = reading.turn.role
    ordered = standing_rules.INSTRUCTION.search(statement) is not None
    # 'When I ask about costs, give both' begins as a question does.
    if is_question(statement) and "please" not in statement and (not ordered or statement.endswith("?")):
        return None
    to_assistant = company.with_assistant or role in {Role.SYSTEM, Role.DEVELOPER} or reading.turn.name is None
    if (to_assistant and ordered) or any(act.rule == statement_rules.STANDS.name for act in acts):
        return AnchorType.INSTRUCTION
    if (
        standing_rules.CONSTRAINT.search(statement)
        and not is_bygone(statement)
        and not statement_rules.CONDITIONAL.search(statement)
    ):
        return AnchorType.CONSTRAINT
    if standing_rules.BODILY.search(statement):
        return None
    likes = any(act.act is Act.FACT and act.rule == "preference" for act in acts)
    return AnchorType.PREFERENCE if likes or standing_rules.PREFERENCE.search(statement) else None
