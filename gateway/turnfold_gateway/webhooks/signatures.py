"""Signatures by the Standard Webhooks specification: HMAC-SHA256 over id, timestamp and body."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Final

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what secrets begin with
TOLERANCE_SECONDS: Final = 300


def new_secret() -> str:
    """Return a secret of 256 random bits, in the specification's format."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, message_id: str, timestamp: str, body: bytes) -> str:
    """Return the value of `webhook-signature`."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    signed = f"{message_id}.{timestamp}.".encode(errors="replace") + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def signed_headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of a request; `timestamp` is in seconds since 1970."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, message_id, str(timestamp), body),
    }


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, now: float) -> bool:
    """Tell whether the secret signed a request at most five minutes before or after `now`. `headers` are lower-case."""
    timestamp = headers.get("webhook-timestamp", "")
    try:
        expected = signature(secret, headers.get("webhook-id", ""), timestamp, body).encode()
    except ValueError:
        return False
    given = headers.get("webhook-signature", "").encode(errors="replace").split()
    # Checked first, so that the timestamp parsed below is one that we wrote.
    is_ours = any(hmac.compare_digest(expected, candidate) for candidate in given)
    return is_ours and abs(now - int(timestamp)) <= TOLERANCE_SECONDS
