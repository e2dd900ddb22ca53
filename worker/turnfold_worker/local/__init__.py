"""Everything on one machine: what `turnfold up`, `demo` and tests start.

stack              Redis, a database, workers, a page that shows them
redis_server       Redis as a child process
worker_process, flower_process, celery_program, process_log   workers and Flower, and what they say
gateway_process    the HTTP gateway, where it is installed
child_process, supervision   child processes; what dies is started again
state              where all that is remembered
local_port         ports that are free
"""
