"""Settings of the gateway, read once from `TURNFOLD_GATEWAY_*`, including the SDK's from `TURNFOLD_*`."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self
from urllib.parse import urlsplit

from turnfold import InvalidSettings, Settings
from turnfold.contract.keys import checked_id
from turnfold.settings import read_settings

PREFIX: Final = "TURNFOLD_GATEWAY_"
LEAST_PROXY_BUDGET: Final = 500
"""Smallest budget; below it, a conversation's newest turns would seldom fit."""

LOG_FORMATS: Final = ("text", "json")
_ORIGIN: Final = re.compile(r"https?://[^/\s,*]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """Settings of the gateway. A field is read from the variable `TURNFOLD_GATEWAY_` plus its name in capitals."""

    turnfold: Settings = field(default_factory=Settings)
    """The SDK's settings: Redis and the database, or the file of cells. Their tenant is unused: keys determine it."""
    max_body_bytes: int = 33_554_432
    """Maximum size of a request's body after decompression."""
    body_seconds: float = 120.0
    """How long a request's body may take to arrive."""
    key_cache_seconds: float = 5.0
    """How long a key may be cached: a revoked key stops working after this time."""

    requests_per_minute: int = 0
    """Requests per minute before 429, for keys without a limit of their own; 0: no limit."""
    cors_origins: str = ""
    """Origins of web pages that may call, separated by commas: `https://app.example.com`. Empty: none."""

    upstream_url: str = ""
    """URL that the proxy forwards to, including `/v1`; empty: the proxy answers that it has no provider."""
    upstream_timeout_seconds: float = 600.0
    """Maximum wait for the provider's headers, and between two pieces of its response."""
    proxy_budget_tokens: int = 16_000
    """Tokens of a forwarded conversation, unless the caller sets `X-Turnfold-Budget`."""
    proxy_tenant: str = ""
    """Tenant of proxy callers without a Turnfold key; empty: a key is required."""
    proxy_wait_seconds: float = 2.0
    """Maximum wait for workers to fold turns that a new block has to cover."""

    webhook_http: bool = False
    """Whether webhooks may use unencrypted `http://`."""
    webhook_private: bool = False
    """Whether webhooks may call addresses of private networks, including this machine."""
    webhook_ca_file: str = ""
    """PEM file of certificate authorities that webhooks accept in addition to the public ones."""
    webhook_timeout_seconds: float = 10.0
    """Maximum wait for an endpoint's response, including the DNS lookup."""
    webhook_poll_seconds: float = 2.0
    """Interval at which a gateway polls for due deliveries."""
    webhook_rounds: int = 10
    """Rounds of three attempts before a delivery is given up; pauses between them grow from ten seconds to 6 hours."""

    log_format: str = "text"
    """Format of the gateway's log: `text`, or `json` with one object per line."""

    def __post_init__(self) -> None:
        if self.log_format not in LOG_FORMATS:
            raise InvalidSettings(f"{PREFIX}LOG_FORMAT must be {' or '.join(LOG_FORMATS)}, not {self.log_format!r}")
        if self.max_body_bytes < 1024:
            raise InvalidSettings(f"{PREFIX}MAX_BODY_BYTES must be at least 1024, not {self.max_body_bytes}")
        if not 0 < self.body_seconds <= 86_400:
            raise InvalidSettings(f"{PREFIX}BODY_SECONDS must be above 0 and at most 86400, not {self.body_seconds}")
        if not 0 <= self.key_cache_seconds <= 300:
            raise InvalidSettings(f"{PREFIX}KEY_CACHE_SECONDS must be 0 to 300, not {self.key_cache_seconds}")
        if self.requests_per_minute < 0:
            msg = f"{PREFIX}REQUESTS_PER_MINUTE must be at least 0 (0: unlimited), not {self.requests_per_minute}"
            raise InvalidSettings(msg)
        if wrong := [origin for origin in self.origins if not _ORIGIN.fullmatch(origin)]:
            msg = f"{PREFIX}CORS_ORIGINS must be origins like https://app.example.com:8443, not {wrong[0]!r}"
            raise InvalidSettings(msg)
        _check_proxy(self)
        _check_webhooks(self)

    @property
    def origins(self) -> list[str]:
        """The origins of `cors_origins`."""
        return [origin.strip() for origin in self.cors_origins.split(",") if origin.strip()]

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None, *, turnfold: Settings | None = None) -> Self:
        """Read the variables; `turnfold` replaces the SDK's settings. Raises `InvalidSettings` naming the variable."""
        variables = os.environ if environment is None else environment
        return read_settings(cls, variables, prefix=PREFIX, turnfold=turnfold or Settings.from_env(variables))


def _check_proxy(settings: GatewaySettings) -> None:
    """Raise `InvalidSettings` for invalid settings of the proxy."""
    url = urlsplit(settings.upstream_url)
    if settings.upstream_url and (url.scheme not in {"http", "https"} or not url.hostname or url.query or url.fragment):
        # Without the value, which may contain a password.
        raise InvalidSettings(f"{PREFIX}UPSTREAM_URL must be a URL such as https://api.example.com/v1, without a query")
    if not 0 < settings.upstream_timeout_seconds <= 86_400:
        raise InvalidSettings(f"{PREFIX}UPSTREAM_TIMEOUT_SECONDS must be above 0 and at most 86400")
    if settings.proxy_budget_tokens < LEAST_PROXY_BUDGET:
        msg = f"{PREFIX}PROXY_BUDGET_TOKENS must be at least {LEAST_PROXY_BUDGET}, not {settings.proxy_budget_tokens}"
        raise InvalidSettings(msg)
    if settings.proxy_tenant:
        checked_id(f"{PREFIX}PROXY_TENANT", settings.proxy_tenant)
    if not 0 <= settings.proxy_wait_seconds <= 60:
        raise InvalidSettings(f"{PREFIX}PROXY_WAIT_SECONDS must be 0 to 60, not {settings.proxy_wait_seconds}")


def _check_webhooks(settings: GatewaySettings) -> None:
    """Raise `InvalidSettings` for invalid settings of webhooks."""
    if settings.webhook_ca_file:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=settings.webhook_ca_file)
        except OSError as error:
            msg = f"{PREFIX}WEBHOOK_CA_FILE cannot be read as PEM certificates ({type(error).__name__})"
            raise InvalidSettings(msg, remedy="set it to a file of PEM certificates, or leave it empty") from error
    if not 0 < settings.webhook_timeout_seconds <= 30:
        # Three attempts have to end before another gateway claims the delivery.
        raise InvalidSettings(f"{PREFIX}WEBHOOK_TIMEOUT_SECONDS must be above 0 and at most 30")
    if not 0.1 <= settings.webhook_poll_seconds <= 3_600:
        raise InvalidSettings(f"{PREFIX}WEBHOOK_POLL_SECONDS must be 0.1 to 3600")
    if not 1 <= settings.webhook_rounds <= 100:
        raise InvalidSettings(f"{PREFIX}WEBHOOK_ROUNDS must be 1 to 100")
