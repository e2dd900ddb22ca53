"""A proxy between an application and its provider, which keeps the conversation that a header names inside a budget.

completions     the routes: `/v1/chat/completions`, `/v1/responses`, `/v1/responses/compact`
compaction      a compacted conversation, as OpenAI's endpoint has it
exchange        one request, with memory or as it came
access          who may use it
pauses          tenants whose memory does not answer now
headers         which headers pass
lookups         the expansion tools, offered to the model and answered here
relay           a response, passed on byte for byte
upstream        the provider
answers         the answer, collected beside what is passed on
sse             server-sent events
"""

from turnfold_gateway.proxy import completions
from turnfold_gateway.proxy.exchange import lifespan

__all__ = ["PATHS", "lifespan", "routes"]

routes = [*completions.routes]

PATHS = frozenset(route.path for route in routes)
"""Of the answers that pass byte for byte."""
