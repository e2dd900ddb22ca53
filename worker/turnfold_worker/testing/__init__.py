"""Test helpers for services that use Turnfold, which import them from `turnfold.testing`.

local           a client whose worker is the test process, in memory or on a private Redis
local_worker    that worker
messages        messages to workers, kept until a test delivers them
model_server, model_http   a fake model provider that fails on request
model_replies   faithful replies of a fake model
"""
