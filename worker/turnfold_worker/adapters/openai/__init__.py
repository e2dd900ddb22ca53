"""OpenAI's protocol.

model              requests one by one
batches            requests in batches
bounded_http       replies of bounded size, without redirects
"""
