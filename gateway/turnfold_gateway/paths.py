"""Ids in paths. A server decodes a path before routing, and an encoded slash in an id would split it."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

API: Final = b"/v1/"
PAGE: Final = b"/ui/"
CONVERSATIONS: Final = "/v1/conversations"
SUBJECT: Final = "/v1/subjects/{subject:id}"
CONVERSATION: Final = f"{CONVERSATIONS}/{{conversation:id}}"
"""Prefix of the routes of a conversation. `{…:id}` is one path segment, decoded after routing."""


class IdConvertor(Convertor[str]):
    """One path segment, with anything percent-encoded in it.

    >>> IdConvertor().convert("team%2Fchat%20one")
    'team/chat one'
    """

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        # Bytes that are not UTF-8 become lone surrogates, which the SDK refuses with a clear error.
        return unquote(value, errors="surrogateescape")

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


register_url_convertor("id", IdConvertor())


class EncodedPaths:
    """Routes requests of the API and of the page by their undecoded path."""

    def __init__(self, app: ASGIApp, *, not_found: ASGIApp) -> None:
        """Answer paths of the API that end in a slash with `not_found`."""
        self._app = app
        self._not_found = not_found

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw_path = scope.get("raw_path")
        if scope["type"] == "http" and raw_path is not None and (API in raw_path or PAGE in raw_path):
            if API in raw_path and raw_path.endswith(b"/"):
                # A router would redirect to the path without the slash: a client that resolves `…/turns/..` would reach
                # the conversation itself, and might delete it.
                await self._not_found(scope, receive, send)
                return
            scope = {**scope, "path": raw_path.decode("ascii", "surrogateescape")}
        await self._app(scope, receive, send)
