"""The ports of the use cases: protocols of adapters, and the values passed between them.

storage            inboxes, sentence vectors, messages to workers
models             a language model, and the values of refine jobs
messages           immutable values, each a snapshot of one moment
"""
