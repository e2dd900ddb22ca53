"""Tables of the HTTP gateway: who may call it, what administrators did through it, and whom it calls."""

# No `from __future__ import annotations`: SQLModel reads the annotations when the class is made.
from datetime import datetime

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, LargeBinary, String, Text, text
from sqlmodel import Field

from turnfold.contract.columns import Base, Id, UtcDateTime, column, key_column


class ApiKeyRow(Base, table=True):
    """A key of the gateway: whose conversations it opens, and for what. The secret itself is stored nowhere."""

    __tablename__ = "api_key"

    id: str = key_column(String(16))
    tenant: str = column(String(200))
    name: str = column(String(200))
    scopes: str = column(String(60))
    """Names with commas between them: `append,read,admin`."""
    secret_hash: bytes = column(LargeBinary(32))
    """SHA-256 of a secret of 256 random bits: nothing that could be guessed, hence nothing to slow down."""
    requests_per_minute: int | None = column(Integer, nullable=True)
    """None: as the gateway's settings say; 0: any number."""
    created_at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    revoked_at: datetime | None = column(UtcDateTime, nullable=True)


class AuditEntryRow(Base, table=True):
    """A call that needed the scope `admin`. Holds a hash of the conversation's id, so that erasures stay complete."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index("audit_entry_tenant", "tenant", "id"), {"sqlite_autoincrement": True})

    id: int | None = Field(default=None, sa_column=Column(Id, primary_key=True, autoincrement=True))
    at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    tenant: str = column(String(200))
    key_id: str = column(String(16))
    action: str = column(String(40))
    conversation_hash: str | None = column(String(64), nullable=True)
    status: int = column(Integer)
    """The HTTP status that answered it."""


class WebhookEndpointRow(Base, table=True):
    """A URL that is told of a tenant's events. The secret signs, hence lies here as it is."""

    __tablename__ = "webhook_endpoint"
    __table_args__ = (Index("webhook_endpoint_tenant", "tenant"),)

    id: str = key_column(String(16))
    tenant: str = column(String(200))
    url: str = column(Text)
    events: str = column(String(60))
    """Names with a comma before and after each: `,folded,erased,`."""
    secret: str = column(String(100))
    created_at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    given_up: int = column(Integer, server_default="0")
    """Deliveries whose tries were used up."""


class WebhookDeliveryRow(Base, table=True):
    """An event that an endpoint has not accepted yet: written by triggers in the transaction that made it true."""

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
    """Surrogate id: of an erased one, too, hence no foreign key. 0: of a test."""
    conversation_id: str = column(String(200))
    details: str = column(Text)
    """A JSON object of counts."""
    created_at: datetime = column(UtcDateTime, server_default=text("CURRENT_TIMESTAMP"))
    attempts: int = column(Integer, server_default="0")
    not_before: int = column(BigInteger, server_default="0")
    """Milliseconds since 1970: when it is due, or ceases to be another gateway's."""
