"""The client's access to Redis.

inbox, scripts     the inbox of a conversation; its Lua scripts
quotas             limits on what a tenant may append and store
connections, lua   clients of single servers; execution of scripts
cluster            client of a Redis Cluster, in place of a single server
servers            routing of conversations to servers, and handling of servers that are down
bell, doorbell     wake-ups of workers: a ring in Redis, or a message to Celery
expansion_counter  counting of expansions, in the background
errors             errors that Redis replies with, and their remedies
"""
