"""Settings of the gateway: read once from `TURNFOLD_GATEWAY_*`, and the SDK's from `TURNFOLD_*`."""

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
"""Tokens below which a conversation's newest words would seldom fit."""

LOG_FORMATS: Final = ("text", "json")
_ORIGIN: Final = re.compile(r"https?://[^/\s,*]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """What the gateway needs. The variable of a field is `TURNFOLD_GATEWAY_` and its name in capitals."""

    turnfold: Settings = field(default_factory=Settings)
    """The SDK's, with the Redis and the database, or the file of cells; its tenant is not used: a key names its own."""
    max_body_bytes: int = 33_554_432
    """Largest body of a request, after it was unpacked."""
    body_seconds: float = 120.0
    """How long a request's body may take to arrive."""
    key_cache_seconds: float = 5.0
    """How long a key may be taken from memory: a revoked one opens nothing after this time."""

    requests_per_minute: int = 0
    """Requests that a key may make a minute before 429, where it has no limit of its own; 0: any number."""
    cors_origins: str = ""
    """Origins of web pages that may call, with commas between them: `https://app.example.com`. Empty: none."""

    upstream_url: str = ""
    """Where the proxy forwards to, up to and with `/v1`; empty: the proxy answers that it has no provider."""
    upstream_timeout_seconds: float = 600.0
    """Longest wait for the provider's headers, and between two pieces of its answer."""
    proxy_budget_tokens: int = 16_000
    """Tokens of a forwarded conversation, unless the caller says otherwise in `X-Turnfold-Budget`."""
    proxy_tenant: str = ""
    """Tenant of callers of the proxy without a Turnfold key; empty: each needs one."""
    proxy_wait_seconds: float = 2.0
    """Longest wait for workers to fold what a new block is to tell."""

    webhook_http: bool = False
    """Whether webhooks may go to `http://`, unencrypted."""
    webhook_private: bool = False
    """Whether webhooks may go to addresses of private networks, this machine's among them."""
    webhook_ca_file: str = ""
    """A file of certificates in PEM, of authorities that webhooks' hosts may have beside the public ones."""
    webhook_timeout_seconds: float = 10.0
    """Longest wait for an endpoint's answer, from the look-up of its name on."""
    webhook_poll_seconds: float = 2.0
    """How often a gateway looks whether there is something to tell."""
    webhook_rounds: int = 10
    """Rounds of three tries before a delivery is given up; waits between them grow from ten seconds to six hours."""

    log_format: str = "text"
    """How the gateway writes its log: `text`, or `json`, an object a line."""

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
            msg = f"{PREFIX}REQUESTS_PER_MINUTE must be at least 0 (0: any number), not {self.requests_per_minute}"
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
        """Read the variables; `turnfold` stands for the SDK's. Raises `InvalidSettings` that names the variable."""
        variables = os.environ if environment is None else environment
        return read_settings(cls, variables, prefix=PREFIX, turnfold=turnfold or Settings.from_env(variables))


def _check_proxy(settings: GatewaySettings) -> None:
    """Raise `InvalidSettings` for what makes no sense of the proxy."""
    url = urlsplit(settings.upstream_url)
    if settings.upstream_url and (url.scheme not in {"http", "https"} or not url.hostname or url.query or url.fragment):
        # Without the value, in which a password may stand.
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
    """Raise `InvalidSettings` for what makes no sense of webhooks."""
    if settings.webhook_ca_file:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=settings.webhook_ca_file)
        except OSError as error:
            msg = f"{PREFIX}WEBHOOK_CA_FILE cannot be read as certificates in PEM ({type(error).__name__})"
            raise InvalidSettings(msg, remedy="name a file of certificates, or leave it empty") from error
    if not 0 < settings.webhook_timeout_seconds <= 30:
        # Three tries have to end before another gateway takes the delivery.
        raise InvalidSettings(f"{PREFIX}WEBHOOK_TIMEOUT_SECONDS must be above 0 and at most 30")
    if not 0.1 <= settings.webhook_poll_seconds <= 3_600:
        raise InvalidSettings(f"{PREFIX}WEBHOOK_POLL_SECONDS must be 0.1 to 3600")
    if not 1 <= settings.webhook_rounds <= 100:
        raise InvalidSettings(f"{PREFIX}WEBHOOK_ROUNDS must be 1 to 100")
