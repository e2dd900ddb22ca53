"""Adapters of OpenAI's protocol.

model              single requests
batches            requests in batches
bounded_http       replies of limited size, without redirects
"""
