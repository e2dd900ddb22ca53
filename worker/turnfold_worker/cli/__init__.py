"""The `turnfold` command."""

from turnfold_worker.cli.group import main

__all__ = ["main"]
