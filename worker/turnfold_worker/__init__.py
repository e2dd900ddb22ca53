"""The worker of Turnfold: stores turns, folds them into levels, refines them.

From outside to inside:

command, cli    the `turnfold` program and its commands
tasks, celery_app, celery_parts   the Celery side: a task is a few lines, takes ids only, calls one use case
wiring          puts settings and adapters together, once per process
settings, model_settings
use_cases       the operations of the worker: drain, fold, refine, erase …
pipeline        the pure stages
ports           protocols and values between use cases and adapters
adapters        implementations, by the system that they talk to
migrations      the database schema, step by step
operate         inspection and metrics for operators
importing       imports conversations from files
local           everything on one machine
offline         runs the pipeline in one process, without servers
testing         test helpers for services that use Turnfold, and for this project
summarizers     the protocol of a custom summarizer
errors
"""
