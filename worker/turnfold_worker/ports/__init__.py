"""The ports of the use cases: protocols of adapters, and the values passed between them.

storage            inboxes, sentence vectors, messages to workers
models             a language model, its limits, and the stored record of calls
messages           immutable values, each a snapshot of one moment
"""
