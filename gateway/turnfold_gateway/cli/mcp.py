"""`turnfold mcp`: serve conversations to an agent on this machine, over standard input and output."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec

import click

from turnfold_gateway.cli.session import errors_in_a_line, refuse_other_schema, sdk_settings
from turnfold_gateway.mcp.missing import INSTALL


@click.command(short_help="Serve conversations to an agent (MCP).")
@click.option("--conversation", help="Serve only this conversation: tools take no conversation_id.")
@click.option("--read-only", is_flag=True, help="Omit the tool that appends.")
def mcp(conversation: str | None, read_only: bool) -> None:
    """Serve conversations over the Model Context Protocol on standard input and output, until the agent ends it.

    An agent starts this itself: add the command to its list of MCP servers. For remote agents, `turnfold serve` has the
    same server at /mcp, protected by keys.

    \b
    Examples:
      turnfold mcp
      turnfold --tenant acme mcp --conversation chat-17 --read-only
    """
    if find_spec("mcp") is None:
        raise click.ClickException(f"the package mcp is not installed: {INSTALL}")
    import anyio

    from turnfold_gateway.mcp.stdio import serve_stdio

    with errors_in_a_line():
        settings = sdk_settings()
        refuse_other_schema(settings)
        anyio.run(partial(serve_stdio, settings, conversation_id=conversation, may_append=not read_only))
