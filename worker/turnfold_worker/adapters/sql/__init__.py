"""SQL, as the use cases ask it.

store              every use of SQL while folding: each method one transaction of the modules below
received, turns, changes, rewinds   what drains store
folds, refolds, anchors, repeats, outlines, postings, vectors   what folds read and write
turn_memos         what folds made of turns of open tails
jobs, fold_claims, overdue, rules_guard   who works on what, what is due, and which rules fold it
access, erasures, removals, retention, spent_rows   what is looked up, forgotten, too old; what goes with changed turns
dropped_postings    what an idle conversation loses, and gets again
expiry_events      what webhooks are told of what was too old
refinements, refine_jobs, refine_sources, refinement_admin   what refining reads and writes
refined_turns      how many turns stand in segments of which a model's words are shown
model_notes, model_outlines, model_search   a model's notes, outlines in which they stand, how a query finds them
ledger, batches    what models said and cost; batches under way
tenant_quotas      what tenants may use, and the bytes that they store
parked             work that waits for a person
errors, bulk_insert, conversation_ids   what all of these share
memory_database    SQL for one conversation that is folded offline
"""
