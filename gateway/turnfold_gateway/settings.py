"""Settings of the gateway: read once from `TURNFOLD_GATEWAY_*`, and the SDK's from `TURNFOLD_*`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from turnfold import InvalidSettings, Settings
from turnfold.settings import read_settings

PREFIX: Final = "TURNFOLD_GATEWAY_"

_ORIGIN: Final = re.compile(r"https?://[^/\s,*]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewaySettings:
    """What the gateway needs. The variable of a field is `TURNFOLD_GATEWAY_` and its name in capitals."""

    turnfold: Settings = field(default_factory=Settings)
    """The SDK's, with the Redis and the database; its tenant is not used: a key names its own."""
    max_body_bytes: int = 33_554_432
    """Largest body of a request, after it was unpacked."""
    key_cache_seconds: float = 5.0
    """How long a key may be taken from memory: a revoked one opens nothing after this time."""

    requests_per_minute: int = 0
    """Requests that a key may make a minute before 429, where it has no limit of its own; 0: any number."""
    cors_origins: str = ""
    """Origins of web pages that may call, with commas between them: `https://app.example.com`. Empty: none."""

    def __post_init__(self) -> None:
        if self.max_body_bytes < 1024:
            msg = f"{PREFIX}MAX_BODY_BYTES must be at least 1024, not {self.max_body_bytes}"
            raise InvalidSettings(msg)
        if not 0 <= self.key_cache_seconds <= 300:
            msg = f"{PREFIX}KEY_CACHE_SECONDS must be 0 to 300, not {self.key_cache_seconds}"
            raise InvalidSettings(msg)
        if self.requests_per_minute < 0:
            msg = f"{PREFIX}REQUESTS_PER_MINUTE must be at least 0 (0: any number), not {self.requests_per_minute}"
            raise InvalidSettings(msg)
        if wrong := [origin for origin in self.origins if not _ORIGIN.fullmatch(origin)]:
            msg = f"{PREFIX}CORS_ORIGINS must be origins like https://app.example.com:8443, not {wrong[0]!r}"
            raise InvalidSettings(msg)

    @property
    def origins(self) -> list[str]:
        """The origins of `cors_origins`."""
        return [origin.strip() for origin in self.cors_origins.split(",") if origin.strip()]

    @classmethod
    def from_env(cls, environment: Mapping[str, str] | None = None, *, turnfold: Settings | None = None) -> Self:
        """Read the variables; `turnfold` stands for the SDK's. Raises `InvalidSettings` that names the variable."""
        variables = os.environ if environment is None else environment
        return read_settings(cls, variables, prefix=PREFIX, turnfold=turnfold or Settings.from_env(variables))
