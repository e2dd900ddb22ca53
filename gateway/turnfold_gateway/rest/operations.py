"""Declare the routes of `/v1`: operations of the SDK with input and output types, from which `openapi` is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnfold import AsyncTurnfold
from turnfold_gateway.keys import Caller, Forbidden, KeyRing, Scope, authenticate
from turnfold_gateway.problems import problem_from
from turnfold_gateway.rest.bodies import answer, read_body, read_query

Handle = Callable[["Call"], Awaitable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request with a known caller and decoded input."""

    request: Request
    caller: Caller
    turnfold: AsyncTurnfold
    """The SDK's client for the caller's tenant."""
    body: Any = None
    query: Any = None

    @property
    def conversation(self) -> str:
        """The conversation named in the path."""
        return self.part("conversation")

    def part(self, name: str) -> str:
        """Return a decoded part of the path."""
        part: str = self.request.path_params[name]
        return part


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A method of a path. `body` and `query` are its input types, `answer` its output type; None means nothing."""

    method: str
    path: str
    scope: Scope
    name: str
    """The `operationId`."""
    summary: str
    handle: Handle
    body: type[msgspec.Struct] | None = None
    query: type[msgspec.Struct] | None = None
    answer: Any = None
    statuses: tuple[int, ...] = (200,)
    """Possible statuses; the first is used unless the handler makes the response itself."""
    takes_idempotency_key: bool = False
    description: str = ""


def routes_of(operations: Iterable[Operation]) -> list[Route]:
    """Return a route for each path, in the given order, in which the router tries them.

    A method that a path does not have is answered with 405 and the allowed methods.
    """
    by_path: dict[str, list[Operation]] = {}
    for operation in operations:
        by_path.setdefault(operation.path, []).append(operation)
    return [_route(path, of_path) for path, of_path in by_path.items()]


def _route(path: str, operations: list[Operation]) -> Route:
    by_method: Final[Mapping[str, Operation]] = {operation.method: operation for operation in operations}

    async def endpoint(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await run(by_method[method], request)

    return Route(path, endpoint, methods=[*by_method])


async def run(operation: Operation, request: Request) -> Response:
    """Authenticate the caller, decode the input, make the call, and write calls that need `admin` to the audit log."""
    if operation.scope != "admin":
        return await _run(operation, request, await authenticate(request, operation.scope))
    try:
        caller = await authenticate(request, operation.scope)
    except Forbidden as error:
        await _note(operation, request, error.caller, error.status)
        raise
    try:
        response = await _run(operation, request, caller)
    except Exception as error:
        await _note(operation, request, caller, problem_from(error).status)
        raise
    await _note(operation, request, caller, response.status_code)
    return response


async def _run(operation: Operation, request: Request, caller: Caller) -> Response:
    call = Call(
        request=request,
        caller=caller,
        turnfold=request.app.state.cells.client(caller.tenant),
        query=None if operation.query is None else read_query(request, operation.query),
        body=None if operation.body is None else await read_body(request, operation.body),
    )
    document = await operation.handle(call)
    if isinstance(document, Response):
        return document
    return Response(status_code=204) if operation.answer is None else answer(document, operation.statuses[0])


async def _note(operation: Operation, request: Request, caller: Caller, status: int) -> None:
    ring: KeyRing = request.app.state.keys
    await ring.note(caller, operation.name, request.path_params.get("conversation"), status)
