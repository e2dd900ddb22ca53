"""Celery's side of a worker, beside its tasks.

schema_gate        no task is taken of a database that does not serve this version
preload            what is imported before a worker forks
doorman            a thread that waits for rings and asks Celery for tasks
sweep_timer        a timer that asks for sweeps
heartbeat_file     a file that is touched while a worker can take messages
remote_control     what it answers, and which orders it does not take
tracing            spans of tasks, and who they are sent to
json_logs          a log of an object a line
outage_log         what keeps a worker from its work, in its log
broker_transport   no message ends a worker
"""
