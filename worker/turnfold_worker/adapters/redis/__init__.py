"""The worker's side of Redis.

inbox, scripts     the inboxes, each step of theirs one script
logs               what of erased words may stand in logs
bell               rings that wake workers
quota_board        bounds of tenants, where appends are checked
model_limits       limits and circuits that all workers share
failures           what all of these raise when Redis does not do it
"""
