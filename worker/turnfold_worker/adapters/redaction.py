"""Replace secrets and personal data in requests, and restore them in replies: by datafog and detect-secrets, locally.

Finds e-mail addresses, telephone, card and social security numbers, IP addresses, and secrets with a recognizable form.
Names of people are not found: that takes a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Final

from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.errors import InvalidSettings
from turnfold_worker.pipeline.refinement.sources import ModelRequest

_PERSONAL: Final = {
    "EMAIL": "email", "PHONE": "phone", "CREDIT_CARD": "card", "IP_ADDRESS": "address", "SSN": "number",
}  # fmt: skip
_SECRETS: Final = (
    ("aws", "AWSKeyDetector"), ("azure_storage_key", "AzureStorageKeyDetector"), ("basic_auth", "BasicAuthDetector"),
    ("discord", "DiscordBotTokenDetector"), ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"), ("jwt", "JwtTokenDetector"), ("keyword", "KeywordDetector"),
    ("mailchimp", "MailchimpDetector"), ("npm", "NpmDetector"), ("openai", "OpenAIDetector"),
    ("private_key", "PrivateKeyDetector"), ("pypi_token", "PypiTokenDetector"), ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"), ("square_oauth", "SquareOAuthDetector"), ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"), ("twilio", "TwilioKeyDetector"),
)  # fmt: skip
_KEY_BLOCK: Final = lazy_pattern(r"-----BEGIN ([A-Z ]*PRIVATE KEY)-----.*?-----END \1-----", re.DOTALL)
_REST: Final = lazy_pattern(r"[\w+/=-]*(?:\.[\w+/=-]+)*")
_SHORTEST: Final = 6
"""Fewest code points of a value to replace: shorter ones are words."""


class PersonalDataRedactor:
    """Implements `model_calls.Redactor`. Redaction is deterministic, so that replies are cached."""

    def __init__(self) -> None:
        """Raises `InvalidSettings` without the libraries."""
        try:
            self._scan: Callable[..., Any] = import_module("datafog").scan
            self._detectors = [
                getattr(import_module(f"detect_secrets.plugins.{module}"), name)() for module, name in _SECRETS
            ]
        except (ModuleNotFoundError, AttributeError) as error:
            msg = f"TURNFOLD_REDACT needs libraries that are not installed ({error})"
            raise InvalidSettings(msg, remedy="pip install 'turnfold-worker[redact]'") from error

    def hide(self, request: ModelRequest) -> tuple[ModelRequest, Callable[[str], str]]:
        """Return the request with placeholders, and the function that restores the values in a JSON reply."""
        hidden: dict[str, str] = {}
        text = request.user
        # Longer values first: one may be part of another.
        for value, kind in sorted(dict(self._found(text)).items(), key=lambda found: (-len(found[0]), found[0])):
            if value not in text:
                continue
            number = 1 + len(hidden)
            while (placeholder := f"<{kind}-{number}>") in request.user:
                number += 1000
            hidden[placeholder] = value
            text = text.replace(value, placeholder)
        return replace(request, user=text), partial(_restored, hidden)

    def _found(self, text: str) -> Iterator[tuple[str, str]]:
        for entity in self._scan(text).entities:
            kind = _PERSONAL.get(entity.type)
            if kind is not None and len(entity.text) >= _SHORTEST:
                yield entity.text, kind
        # The detector matches only the first line of a key.
        for block in _KEY_BLOCK.finditer(text):
            yield block.group(), "secret"
        for line in text.splitlines():
            for detector in self._detectors:
                for value in _values(detector, line):
                    if len(value) >= _SHORTEST and value in line:
                        yield value, "secret"


def _values(detector: Any, line: str) -> Iterator[str]:
    """Yield the values that a detector finds in a line, as whole tokens: its own search may return only a prefix."""
    patterns = getattr(detector, "denylist", None)
    if patterns is None:
        yield from detector.analyze_string(line)
        return
    for pattern in patterns:
        for match in pattern.finditer(line):
            rest = _REST.match(line, match.end())
            yield line[match.start() : rest.end() if rest else match.end()]


def _restored(hidden: dict[str, str], content: str) -> str:
    for placeholder, value in hidden.items():
        content = content.replace(placeholder, json.dumps(value, ensure_ascii=False)[1:-1])
    return content
