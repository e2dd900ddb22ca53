"""The `turnfold` command.

group          its root: the options that all commands share, and the table of commands
lazy_group     imports a command when it is run
session        settings of a command, and the clients and connections made from them
output, failures   printed output and questions; errors and exit codes
streams        standard output and error that accept any character
account_commands   command lines for the hints in a context's account

The commands, named with `_command` where another module or Python has their name:

up, demo, import_command, export_command, fold
archive_files  reads and restores the archives that `export` wrote
reading        context, expand, search, anchors
why_words      the reason why a statement no longer holds, for `why`
list_command, notes_command, timeline_command, why_command
inspect_command, status, doctor_command, usage_command, quota_command, metrics_command
reshard_command, cells_command, cells_move_command
refine_command
jobs, changes, forget
"""

from turnfold_worker.cli.group import main

__all__ = ["main"]
