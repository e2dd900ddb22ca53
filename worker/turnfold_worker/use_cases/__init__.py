"""What the worker does, each from top to bottom; they import no adapter, and name one only as a type.

drain              inbox to SQL
due_jobs           what is due, whoever is told: folds of many conversations, tenant by tenant
fold, refold       SQL to segments, anchors, levels, chapters; one of them again
last_try           what comes of a conversation on which the rules fail again and again
open_tail, earlier   anchors of turns that no segment holds yet; what of earlier segments turns may change or repeat
embed              sentence vectors for these
refine, refine_in_batches, model_calls   what models are asked and what of it is kept
reconstruct        a model's words for turns that were removed
sweep              rings for what nobody was told of
jobs               work that waits for a person
tenant_quotas      what tenants may append and store, published where appends are checked
erase, remnants, expire_turns   a forgotten conversation; logs that still hold words; words that are too old
search_rows         what idle conversations lose until somebody asks
"""
