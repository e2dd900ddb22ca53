"""The worker of Turnfold: stores turns, folds them into levels, refines them.

From outside to inside:

command, cli    the `turnfold` program, and the command that it is
tasks, celery_app, celery_parts   Celery's side: a task is a few lines, takes ids only, calls one use case
wiring          settings and adapters put together, once a process
settings, model_settings
use_cases       what the worker does
pipeline        the pure stages
ports           what use cases need of the outside world, where more than one thing gives it
adapters        what use cases work with, by the system that it speaks to
migrations      the schema, step by step
operate         what operators and people look at
importing       conversations from files
local           everything on one machine
offline         the pipeline in one process, without servers
testing         what tests of services need, and this project's own
summarizers     what a summarizer of one's own is
errors
"""
