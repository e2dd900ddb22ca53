"""`turnfold serve`: run the gateway until it is stopped."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from turnfold import Settings
from turnfold.json_logs import JsonFormatter
from turnfold_gateway.cli.session import errors_in_a_line, refuse_other_schema, serving_settings
from turnfold_gateway.settings import GatewaySettings

if TYPE_CHECKING:
    import uvicorn

    from turnfold_gateway.cells import ServedCells

PORT: Final = 8321
BACKLOG: Final = 2048


@click.command(short_help="Serve conversations over HTTP.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 for a free one.",
)
@click.option(
    "--key-file", type=click.Path(dir_okay=False, path_type=Path),
    help="File with a key of all scopes for TURNFOLD_TENANT; created if missing.",
)  # fmt: skip
def serve(host: str, port: int, key_file: Path | None) -> None:
    """Serve the HTTP API, until Ctrl-C.

    Callers need a key of `turnfold keys create`. Leave TLS to a proxy. One process uses one core: run as many of these
    as there are cores, behind a proxy; they share nothing but Redis and the database. With TURNFOLD_CELLS it serves the
    tenants of all cells, or with --cell those of one.

    \b
    Examples:
      turnfold serve
      turnfold serve --host 0.0.0.0 --port 8080
      turnfold serve --key-file key.txt
    """
    import uvicorn

    from turnfold_gateway.app import create_app

    with errors_in_a_line():
        settings = GatewaySettings.from_env(turnfold=serving_settings())
        app = create_app(settings)
        cells: ServedCells = app.state.cells
        refuse_other_schema(*(cell.settings for cell in cells.by_name.values()))
        if key_file is not None:
            _keep_key(settings.turnfold.of_tenant(settings.turnfold.tenant), key_file)
    with closing(_listening(host, port)) as listener:
        address = listener.getsockname()
        shown = f"[{address[0]}]" if listener.family == socket.AF_INET6 else address[0]
        click.echo(f"http://{shown}:{address[1]}", err=True)
        if settings.log_format == "json":
            _write_json()
        config = uvicorn.Config(
            app, http=_protocol(), ws="none", log_level="warning", access_log=False, server_header=False,
            timeout_keep_alive=75,
            log_config=None if settings.log_format == "json" else uvicorn.config.LOGGING_CONFIG,
        )  # fmt: skip
        server_of(config).run(sockets=[listener])


def server_of(config: uvicorn.Config) -> uvicorn.Server:
    """Return a server that freezes its startup objects out of garbage collection: a full one took 100 ms for them."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            gc.collect()
            gc.freeze()

    return Server(config)


def _protocol() -> type[asyncio.Protocol] | Literal["auto"]:
    """Return the protocol that parses requests. Without httptools it is h11, which has limits of its own."""
    try:
        from turnfold_gateway.header_bounds import BoundedHeaders
    except ModuleNotFoundError:
        return "auto"
    return BoundedHeaders


def _write_json() -> None:
    """Make every logger of this process write JSON objects."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


def _keep_key(settings: Settings, file: Path) -> None:
    """Keep a key in the file. Raises `UsageError` for a file that cannot be written, `Unavailable`."""
    from turnfold_gateway.keys.kept import keep_key
    from turnfold_gateway.keys.store import KeyStore

    try:
        with closing(KeyStore(settings)) as store:
            keep_key(store, file, settings.tenant)
    except OSError as error:
        msg = f"--key-file {file} cannot be written ({error.strerror}): choose a file that this user can write"
        raise click.UsageError(msg) from error


def _listening(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises `UsageError` when the address cannot be used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        msg = f"--port {port} on {host} is not available ({error.strerror}): choose another"
        raise click.UsageError(msg) from error
    listener.set_inheritable(True)
    return listener
