"""Triggers that write the webhook outbox in the transaction that causes an event; expiry writes its event itself.

Writers, workers as well as commands, need not know about webhooks, and no event is lost between a commit and a message.
For a tenant without an endpoint a trigger costs one index lookup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_NEVER: Final = 9_223_372_036_854_775_807


@dataclass(frozen=True, slots=True)
class _Trigger:
    name: str
    moment: str
    condition: str
    body: str
    """Statements with the placeholders `{json}`, `{as_text}` and `{position}` for what differs between databases."""


def _tell(event: str, conversation: str, counts: str, *, external: str = "c.external_id", not_before: int = 0) -> str:
    """Return a statement that writes an event for each subscribed endpoint; `counts` are key-value pairs in SQL."""
    return (
        "INSERT INTO webhook_delivery (endpoint, event, conversation_row, conversation_id, details, not_before) "
        f"SELECT e.id, '{event}', c.id, {external}, {{json}}({counts}){{as_text}}, {not_before} "
        "FROM conversation c JOIN webhook_endpoint e ON e.tenant = c.tenant "
        f"WHERE c.id = {conversation} AND {{position}}(e.events, ',{event},') > 0;"
    )


_JOB: Final = "'kind', NEW.kind, 'segment', NEW.subject"
_PARKED: Final = _tell("parked", "NEW.conversation", _JOB)
_TRIGGERS: Final = (
    _Trigger(
        "webhook_folded", "AFTER UPDATE OF fold_seq, closed_seq ON conversation",
        "NEW.fold_seq > OLD.fold_seq OR NEW.closed_seq > OLD.closed_seq",
        _tell("folded", "NEW.id", "'turns', NEW.turn_count, 'segments', NEW.node_count, 'anchors', NEW.anchor_count"),
    ),
    _Trigger(
        "webhook_refined", "AFTER UPDATE OF state ON job",
        "NEW.state = 'done' AND OLD.state <> 'done' AND NEW.kind = 'refine'",
        _tell("refined", "NEW.conversation", "'segment', NEW.subject"),
    ),
    _Trigger(
        "webhook_job_parked", "AFTER UPDATE OF state ON job",
        "NEW.state = 'parked' AND OLD.state <> 'parked'", _PARKED,
    ),
    _Trigger("webhook_job_made_parked", "AFTER INSERT ON job", "NEW.state = 'parked'", _PARKED),
    _Trigger(
        "webhook_entry_parked", "AFTER INSERT ON parked_entry", "NEW.state = 'parked'",
        _tell("parked", "NEW.conversation", "'kind', 'entry', 'turn', NEW.seq"),
    ),
    # Hiding drops pending events, which name the conversation. The erasure event is held back until the rows are gone.
    _Trigger(
        "webhook_hidden", "AFTER UPDATE OF external_id ON conversation", "NEW.external_id <> OLD.external_id",
        "DELETE FROM webhook_delivery WHERE conversation_row = NEW.id; "
        + _tell(
            "erased", "NEW.id", "'turns', OLD.turn_count, 'segments', OLD.node_count",
            external="OLD.external_id", not_before=_NEVER,
        ),
    ),
    _Trigger(
        "webhook_erased", "AFTER DELETE ON conversation", "OLD.id > 0",
        "UPDATE webhook_delivery SET not_before = 0 WHERE conversation_row = OLD.id AND event = 'erased';",
    ),
)  # fmt: skip


def create_triggers(dialect: str) -> list[str]:
    """Return the statements that create the triggers, for `sqlite` or `postgresql`."""
    return [statement for trigger in _TRIGGERS for statement in _created(trigger, dialect)]


def _created(trigger: _Trigger, dialect: str) -> list[str]:
    if dialect == "sqlite":
        body = trigger.body.format(json="json_object", as_text="", position="instr")
        return [
            (
                f"CREATE TRIGGER IF NOT EXISTS {trigger.name} {trigger.moment} FOR EACH ROW WHEN {trigger.condition} "
                f"BEGIN {body} END"
            )
        ]
    body = trigger.body.format(json="CAST(json_build_object", as_text=" AS text)", position="strpos")
    return [
        (
            f"CREATE OR REPLACE FUNCTION {trigger.name}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN {body} RETURN NULL; END $$"
        ),
        (
            f"CREATE OR REPLACE TRIGGER {trigger.name} {trigger.moment} FOR EACH ROW WHEN ({trigger.condition}) "
            f"EXECUTE FUNCTION {trigger.name}()"
        ),
    ]


def drop_functions(dialect: str) -> list[str]:
    """Return the statements that remove what is left after dropping the tables."""
    if dialect == "sqlite":
        return []
    return [f"DROP FUNCTION IF EXISTS {trigger.name}() CASCADE" for trigger in _TRIGGERS]
