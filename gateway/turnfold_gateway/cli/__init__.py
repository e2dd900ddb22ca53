"""Commands of `turnfold` where the worker's distribution is also installed, else of `turnfold-gateway`.

serve           `turnfold serve`
keys            `turnfold keys create`, `list`, `revoke`, `audit`
mcp             `turnfold mcp`
webhooks        `turnfold webhooks add`, `list`, `remove`, `test`
session         the settings of a command
"""

from __future__ import annotations

import click

from turnfold_gateway.cli.keys import keys
from turnfold_gateway.cli.mcp import mcp
from turnfold_gateway.cli.serve import serve
from turnfold_gateway.cli.webhooks import webhooks


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="turnfold-gateway")
def main() -> None:
    """Serve conversations over HTTP. Settings come from TURNFOLD_* variables."""


main.add_command(serve)
main.add_command(keys)
main.add_command(mcp)
main.add_command(webhooks)
