"""Everything on one machine: what `turnfold up`, `demo` and tests start.

stack              Redis, a database, workers, a page that shows them
redis_server       Redis as a child process
worker_process, celery_program, process_log   workers, and what they say
web_process, flower_process, gateway_process   web servers: Flower, and the gateway where it is installed
child_process, supervision   child processes; what dies is started again
state              where all that is remembered
local_port         ports that are free
"""
