"""The worker's adapters of Redis.

inbox, scripts     the inboxes, each step one Lua script
logs               clears erased text from Redis's logs
bell               rings that wake workers
quota_board        publishes quotas of tenants to where appends are checked
model_limits       rate limits and circuit breakers that all workers share
failures           translates errors of Redis
"""
