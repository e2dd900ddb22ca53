"""Everything on one machine: what `turnfold up`, `demo` and tests start.

stack              Redis, a database, workers, a page that shows them
redis_server       Redis as a child process
worker_process, celery_program   workers
web_process, flower_process, gateway_process   web servers: Flower, and the gateway where it is installed
child_process, process_log, supervision   child processes and what they say; what dies is started again
state              where all that is remembered
local_port         ports that are free
"""
