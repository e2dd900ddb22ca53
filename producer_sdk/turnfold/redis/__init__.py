"""What the client asks of Redis.

inbox, scripts     the inbox of a conversation; its steps in Lua
quotas             how much a tenant may append and store
connections, lua   clients of servers; scripts
cluster            a Redis Cluster in the place of one server
servers            which server has a conversation, and what to do while one is away
bell, doorbell     what wakes a worker: a ring in Redis, or a message to Celery
expansion_counter  what is looked up, counted in the background
errors             why a Redis that answers does not do what it is asked
"""
