"""The use cases of the worker, each readable from top to bottom; they import adapters for type checking only.

drain              stores inbox entries in SQL
due_jobs           does due work in order, tenant by tenant, whichever task asks
fold, refold       turn SQL rows into segments, anchors, levels, chapters; fold one segment again
last_try           falls back to plain words where the rules fail again and again
open_tail, earlier   anchors of turns in no segment yet; earlier anchors and turns that new turns may change or repeat
embed              sentence vectors of turns, anchors and passages
refine, refine_in_batches, model_calls   ask models and keep what passes the checks
reconstruct        lets a model rewrite removed turns
sweep              rings for work whose ring was lost
jobs               retries and skips parked work
tenant_quotas      publishes quotas to where appends are checked, and measures stored bytes
erase, remnants, expire_turns   delete forgotten conversations, clear logs that hold their text, apply retention
search_rows        drops search rows of idle conversations, and rebuilds them on demand
"""
