"""The Celery side of a worker, apart from its tasks.

schema_gate        refuses to start on a database with an incompatible schema
preload            imports modules before a worker forks
doorman            a thread that turns rings into Celery tasks
sweep_timer        a timer that sends sweep tasks
heartbeat_file     touches a file while a worker can take messages
remote_control     the remote-control commands that a worker answers
tracing            spans of tasks, and their export
json_logs          a log with one JSON object per line
outage_log         logs outages that keep a worker from its work
broker_transport   a transport in which no message ends a worker
"""
