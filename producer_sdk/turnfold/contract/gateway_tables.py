"""Tables of the HTTP gateway: API keys, the audit log, webhook endpoints and deliveries."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import datetime

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, String, Text, text
from sqlmodel import Field

from turnfold.contract.columns import Base, Id, UtcDateTime, column, key_column


class ApiKeyRow(Base, table=True):
    """An API key of the gateway, with its tenant and scopes. Only a hash of the secret is stored."""

    __tablename__ = "api_key"

    id: str = key_column(String(16))
    tenant: str = column(String(200))
    name: str = column(String(200))
    scopes: str = column(String(60))
    """Comma-separated names: `append,read,admin`."""
    secret_hash: bytes = column(LargeBinary(32))
    """SHA-256 of 256 random bits: too many to guess, so a slow password hash is not needed."""
    requests_per_minute: int | None = column(Integer, nullable=True)
    """None for the default of the gateway's settings; 0 for no limit."""
    created_at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    revoked_at: datetime | None = column(UtcDateTime, nullable=True)


class AuditEntryRow(Base, table=True):
    """A call with the scope `admin`, with a hash of the conversation's id, so that an erasure leaves no id behind."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index("audit_entry_tenant", "tenant", "id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, sa_column=Column(Id, primary_key=True, autoincrement=True))
    at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    tenant: str = column(String(200))
    key_id: str = column(String(16))
    action: str = column(String(40))
    conversation_hash: str | None = column(String(64), nullable=True)
    status: int = column(Integer)
    """HTTP status of the response."""


class WebhookEndpointRow(Base, table=True):
    """A URL that receives events of a tenant. Its secret signs requests, so it is stored in plain text."""

    __tablename__ = "webhook_endpoint"
    __table_args__ = (Index("webhook_endpoint_tenant", "tenant"),)

    id: str = key_column(String(16))
    tenant: str = column(String(200))
    url: str = column(Text)
    events: str = column(String(60))
    """Comma-separated names, with a comma before the first and after the last: `,folded,erased,`."""
    secret: str = column(String(100))
    created_at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    given_up: int = column(Integer, server_default="0")
    """Deliveries abandoned after the last retry."""


class WebhookDeliveryRow(Base, table=True):
    """An event that an endpoint has not accepted yet, written by triggers in the transaction that caused it."""

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        Index("webhook_delivery_due", "not_before", "id"),
        Index("webhook_delivery_endpoint", "endpoint"),
        Index("webhook_delivery_conversation", "conversation_row"),
        {"sqlite_autoincrement": True},
    )

    id: int | None = Field(default=None, sa_column=Column(Id, primary_key=True, autoincrement=True))
    endpoint: str = Field(
        sa_column=Column(String(16), ForeignKey("webhook_endpoint.id", ondelete="CASCADE"), nullable=False)
    )
    event: str = column(String(16))
    conversation_row: int = column(BigInteger)
    """Surrogate id; no foreign key, as the conversation may be erased. 0 for a test event."""
    conversation_id: str = column(String(200))
    details: str = column(Text)
    """A JSON object of counts."""
    created_at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    attempts: int = column(Integer, server_default="0")
    not_before: int = column(BigInteger, server_default="0")
    """Milliseconds since 1970: when it is due, or when the lease of another gateway expires."""
