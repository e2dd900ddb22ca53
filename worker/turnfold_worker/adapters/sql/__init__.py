"""The SQL adapters of the use cases.

store              all SQL access of draining and folding: each method one transaction over the modules below
received, turns, changes, rewinds   rows that drains store
folds, refolds, anchors, repeats, outlines, postings, vectors   rows that folds read and write
turn_memos         intermediate results on turns of open tails
jobs, fold_claims, overdue, rules_guard   leases of jobs, due jobs, and the version of the rules that may fold
access, erasures, removals, retention, spent_rows   expansion counts, erasure, changed turns, retention
dropped_postings    search rows and levels that idle conversations lose and get back
expiry_events      webhook events of retention
refinements, refine_jobs, refine_sources, refinement_admin   rows that refining reads and writes
refined_turns      the number of turns in segments with a model's text
model_notes, model_outlines, model_search   a model's notes, outlines that contain them, and search in them
ledger, batches    replies of models and their cost; open batches
tenant_quotas      quotas of tenants, and the bytes that they store
parked             parked work
errors, bulk_insert, conversation_ids   helpers that the other modules share
memory_database    an in-memory database for one conversation that is folded offline
"""
