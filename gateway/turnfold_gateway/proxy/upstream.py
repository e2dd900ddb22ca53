"""The provider behind the proxy: one client for all requests, which follows no redirects and adds no credentials."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from typing import Final

import httpx

from turnfold_gateway.problems import Problem
from turnfold_gateway.proxy.headers import Headers
from turnfold_gateway.settings import GatewaySettings

CONNECT_SECONDS: Final = 10.0
CONNECTIONS: Final = 1_000


class Upstream:
    """Sends requests to the provider named in the settings."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._url = settings.upstream_url.rstrip("/")
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(settings.upstream_timeout_seconds, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=100),
            follow_redirects=False,
            # Neither a .netrc nor an environment proxy may add to the request, or see it.
            trust_env=False,
        )

    async def send(self, path: str, query: str, headers: Headers, body: bytes | AsyncIterator[bytes]) -> httpx.Response:
        """Send a request and return the response unread; the caller closes it. Raises `Problem` if there is none."""
        if not self._url:
            raise proxy_problem(
                501, "no-upstream", "The proxy has no provider", detail="no provider is configured to forward to",
                remedy="the operator must set TURNFOLD_GATEWAY_UPSTREAM_URL, such as https://api.example.com/v1",
            )  # fmt: skip
        target = f"{self._url}{path}" + (f"?{query}" if query else "")
        # Built directly, because the client's default headers would add a user agent.
        request = httpx.Request("POST", target, headers=headers, content=body)
        try:
            return await self._client.send(request, stream=True)
        except httpx.TimeoutException as error:
            raise proxy_problem(
                504, "upstream-timeout", "The provider did not answer in time",
                detail=f"the provider did not answer ({type(error).__name__})",
                remedy="repeat the request, or raise TURNFOLD_GATEWAY_UPSTREAM_TIMEOUT_SECONDS",
            ) from error  # fmt: skip
        except httpx.HTTPError as error:
            # Without the error's message, which may contain a URL or a header.
            raise proxy_problem(
                502, "upstream-unreachable", "The provider cannot be reached",
                detail=f"the provider cannot be reached ({type(error).__name__})",
                remedy="repeat the request; the operator should check TURNFOLD_GATEWAY_UPSTREAM_URL",
            ) from error  # fmt: skip

    async def close(self) -> None:
        await self._client.aclose()


class Decoded:
    """Decodes a compressed body piece by piece, while its raw bytes are passed on."""

    def __init__(self, encoding: str) -> None:
        self._zlib = zlib.decompressobj(zlib.MAX_WBITS | 32) if encoding in {"gzip", "deflate"} else None
        self._is_readable = self._zlib is not None or encoding in {"", "identity"}

    def of(self, received: bytes, *, most_bytes: int) -> bytes:
        """Decode these bytes to at most `most_bytes`; return b"" once the body turned out to be undecodable."""
        if not self._is_readable:
            return b""
        if self._zlib is None:
            return received
        try:
            return self._zlib.decompress(received, most_bytes)
        except zlib.error:
            self._is_readable = False
            return b""


def proxy_problem(status: int, kind: str, title: str, *, detail: str, remedy: str) -> Problem:
    """Return a problem with the `error` member that OpenAI clients look for."""
    return with_error_member(Problem(status, kind, title, detail=detail, remedy=remedy))


def with_error_member(problem: Problem) -> Problem:
    """Add the `error` member, in which OpenAI clients look for the message."""
    detail, remedy = problem.document["detail"], problem.document["remedy"]
    problem.document["error"] = {
        "message": f"{detail}: {remedy}", "type": "turnfold", "code": problem.kind, "param": None,
    }  # fmt: skip
    return problem
