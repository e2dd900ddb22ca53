"""What stands behind the ports. The first word of a module's name says which outside system it speaks to.

`ports`:

redis_inbox, redis_scripts   the inboxes, each step of theirs one script
redis_bell                   rings that wake workers
sentence_embedder, bert      sentence vectors, on this machine's processor
sql_store                    every other use of SQL while folding: each method one transaction of the modules below

sql_received, sql_turns, sql_changes, sql_rewinds   what drains store
sql_turn_memos               what folds made of turns of open tails
sql_folds, sql_refolds, sql_anchors, sql_repeats, sql_outlines, sql_postings, sql_vectors   what folds read and write
sql_jobs, sql_fold_claims, sql_overdue   who works on what, and what is due
sql_access, sql_erasures, sql_removals   what is looked up; what is forgotten; what goes with changed turns
sql_errors, database_clock, bulk_insert, conversation_ids   what all of these share

`model_ports` and its neighbours:

openai_model, openai_batches, bounded_http, prompt_files, redaction   what is asked, one by one or in batches
own_model                    a caller's own summarizer
redis_model_limits           limits and circuits that all workers share
sql_ledger, sql_batches      what models said and cost; batches under way
sql_model_notes, sql_model_outlines   a model's notes, and outlines in which they stand
sql_model_search             how a query finds a model's notes
sql_refinements, sql_refine_jobs, sql_refine_sources, sql_refinement_admin   what refining reads and writes

`parked` and `expire`:

sql_parked, sql_retention    work that waits for a person; words that are older than they are to be kept

One machine:

redis_server, child_process, local_port   servers as child processes
memory_database              SQL for one conversation that is folded offline
"""
