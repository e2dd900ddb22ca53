"""Ids in paths. A server decodes a path before it is routed: an encoded slash would end an id."""

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
"""Where the routes of a conversation begin. `{…:id}` is one part of a path, decoded after it was routed."""


class IdConvertor(Convertor[str]):
    """One part of a path, whatever is encoded in it.

    >>> IdConvertor().convert("team%2Fchat%20one")
    'team/chat one'
    """

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        # Bytes that are no UTF-8 become lone surrogates, which the SDK refuses with a reason.
        return unquote(value, errors="surrogateescape")

    def to_string(self, value: str) -> str:
        return quote(value, safe="")


register_url_convertor("id", IdConvertor())


class EncodedPaths:
    """Routes requests of the API and of the page by their path as it was sent."""

    def __init__(self, app: ASGIApp, *, not_found: ASGIApp) -> None:
        """`not_found` answers paths of the API that end in a slash."""
        self._app = app
        self._not_found = not_found

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw_path = scope.get("raw_path")
        if scope["type"] == "http" and raw_path is not None and (API in raw_path or PAGE in raw_path):
            if API in raw_path and raw_path.endswith(b"/"):
                # A router redirects it to the path without the slash: from `…/turns/..`, resolved by a client, that
                # is the conversation itself, and a deletion would follow.
                await self._not_found(scope, receive, send)
                return
            scope = {**scope, "path": raw_path.decode("ascii", "surrogateescape")}
        await self._app(scope, receive, send)
