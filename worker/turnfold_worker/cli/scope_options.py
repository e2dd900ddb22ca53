"""Options that restrict reads to some origins or speakers."""

from __future__ import annotations

from typing import Final

import click

from turnfold.contract.records import Origin

ORIGINS: Final = [origin.value for origin in Origin]

origin_option = click.option(
    "--origin", "origins", type=click.Choice(ORIGINS), multiple=True, help="Only text of this origin; may be repeated."
)
speaker_option = click.option(
    "--speaker", "speakers", multiple=True, help="Only what this speaker said, by the name shown; may be repeated."
)
