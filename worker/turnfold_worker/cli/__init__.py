"""The `turnfold` command.

group          its root: what every command shares, and the commands by what they are for
lazy_group     imports a command when it is run
session        what a command works with: settings, and what they lead to
output, failures   what it prints and asks; its errors, and the exit codes
streams        where it prints
account_commands   what does at a terminal what a context's account says

The commands, named with `_command` where another module or Python has their name:

up, demo, import_command, export_command, fold
archive_files  which files `export` wrote, and what becomes of them
reading        context, expand, search, anchors
scope_options  whose words these show
why_words      why a statement stands no more, for `why`
list_command, notes_command, timeline_command, why_command
inspect_command, status, doctor_command, usage_command, quota_command, metrics_command
reshard_command, cells_command, cells_move_command
refine_command, batch
jobs, changes, forget
"""

from turnfold_worker.cli.group import main

__all__ = ["main"]
