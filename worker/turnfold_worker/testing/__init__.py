"""What tests of services that use Turnfold need; they import it from `turnfold.testing`.

local           a client whose worker is the test's process, in memory or on a Redis of its own
local_worker    that worker
messages        messages to workers, held until a test delivers them
model_server, model_http   a server in place of a provider of models, which fails on request
model_replies   what a careful model replies
"""
