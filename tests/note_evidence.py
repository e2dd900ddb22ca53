"""Evidence built from a short conversation."""

from __future__ import annotations

from datetime import UTC, datetime

from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.refinement.faithfulness import Evidence


def evidence(talk: tuple[tuple[str, str, str], ...]) -> Evidence:
    """Return evidence of (day or nothing, speaker, text) turns, numbered from 1."""
    return Evidence([
        StoredTurn(
            seq=seq, turn_id=f"t{seq}", role=Role.USER if name != "assistant" else Role.ASSISTANT,
            name=None if name in ("user", "assistant") else name, content=content, tokens=20,
            created_at=datetime.fromisoformat(day).replace(tzinfo=UTC) if day else None,
        )
        for seq, (day, name, content) in enumerate(talk, 1)
    ])  # fmt: skip
