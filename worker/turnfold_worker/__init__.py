"""The worker of Turnfold: stores turns, folds them into levels, refines them.

From outside to inside:

command, cli    the `turnfold` program, and the command that it is
tasks, celery_app, preload   Celery's side: a task is a few lines, takes ids only, calls one use case
doorman, timer, outages   what a worker's main process does beside: messages for rings, sweeps, warnings
broker_transport   no message ends a worker
celery_program  a worker and Flower without the rest of Celery's command line
wiring, model_wiring, settings, model_settings    settings and adapters put together, once a process

Use cases, which know ports only:

drain           inbox to SQL
due_jobs        what is due, whoever is told: folds of many conversations, tenant by tenant
compress, refold, meanings   SQL to segments, anchors, levels, chapters; one of them again; vectors for these
open_tail, earlier   the anchors of turns that no segment holds yet; what of earlier segments turns may change or repeat
refine, model_calls, batches, reconstruct   what models are asked and what of it is kept
summarizers     what a summarizer of one's own is, in the place of a provider
sweep, jobs     work that nobody was told of, or that waits for a person
erase, remnants, expire   a forgotten conversation; words that are older than they are to be kept

pipeline        the pure stages
ports, model_ports, parked, exchange   what use cases need of the outside world, and the values that they pass
adapters        what stands behind the ports
migrate, migrations   the schema
offline         the pipeline in one process, without servers
transcripts, chatgpt_export   conversations from files
restoring       whole conversations from a file
inspection, listing, totals, trees, provenance   what people look at
metrics, prices, digest, doctor   what monitoring and operators look at
testing         what tests of services need, and this project's own
errors
"""
