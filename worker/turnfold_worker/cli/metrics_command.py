"""`turnfold serve-metrics`: an endpoint for Prometheus."""

from __future__ import annotations

import signal
import threading

import click

from turnfold_worker.cli.session import Session, pass_session

PORT = 9464


@click.command("serve-metrics", short_help="Serve metrics for Prometheus.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 for all.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=PORT,
    show_default=True,
    help="Port to listen on; 0 for a free one.",
)
@click.option("--once", is_flag=True, help="Print the metrics once and exit.")
@pass_session
def serve_metrics(session: Session, host: str, port: int, once: bool) -> None:
    """Serve metrics of all tenants at /metrics, until Ctrl-C.

    Waiting turns and their age, turns not in a segment, sizes of levels, jobs, parked work, expansions, usage and cost
    of models, and the time of a read. They are read from Redis and the database at each scrape: one such process is
    enough for an installation. It asks for no password, and exposes neither ids nor content.

    \b
    Examples:
      turnfold serve-metrics
      turnfold serve-metrics --host 0.0.0.0 --port 9464
      turnfold serve-metrics --once
    """
    from prometheus_client import CollectorRegistry, generate_latest, start_http_server

    from turnfold_worker.operate.prometheus import WorkCollector

    registry = CollectorRegistry(auto_describe=False)
    registry.register(WorkCollector(session.redis, session.engine, session.reader))
    if once:
        click.echo(generate_latest(registry).decode(), nl=False)
        return
    try:
        server, thread = start_http_server(port, addr=host, registry=registry)
    except OSError as error:
        msg = f"--port {port} on {host} is not available ({error.strerror}): choose another"
        raise click.UsageError(msg) from error
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    click.echo(f"http://{host}:{server.server_port}/metrics", err=True)
    # In steps: on some systems a signal handler does not run while the main thread waits without a timeout.
    while not stopped.wait(0.2):
        pass
    server.shutdown()
    server.server_close()
    thread.join()
