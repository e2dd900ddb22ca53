"""A proxy between an application and its provider that keeps the conversation named in a header within a token budget.

completions     the routes: `/v1/chat/completions`, `/v1/responses`, `/v1/responses/compact`
compaction      a compacted conversation, in the format of OpenAI's endpoint
exchange        one request, with memory or unchanged
access          authentication
pauses          tenants whose memory is not answering
headers         headers that are passed on, and our own
lookups         the expansion tools, offered to the model and answered here
relay           a response, passed on byte for byte
upstream        the provider
answers         collects the answer while it is passed on
sse             server-sent events
"""

from turnfold_gateway.proxy import completions
from turnfold_gateway.proxy.exchange import lifespan

__all__ = ["PATHS", "lifespan", "routes"]

routes = [*completions.routes]

PATHS = frozenset(route.path for route in routes)
"""Paths whose responses are passed on byte for byte."""
