"""Run everything on one machine, for `turnfold up`, `demo` and tests.

stack              Redis, a database, workers, and optional web servers
redis_server       Redis as a child process
worker_process, celery_program   workers
web_process, flower_process, gateway_process   web servers: Flower, and the gateway where it is installed
child_process, process_log, supervision   child processes, their logs, and restarts after a crash
state              the state folder
local_port         free ports
"""
