"""Adapters that the use cases work with, by the system that they talk to.

sql, redis, openai   packages of their own
sentence_embedder, bert   sentence vectors, computed on the local CPU
own_model          a custom summarizer as a model
prompt_files       prompts of models, from the folder `prompts`
redaction          replaces secrets and personal data by placeholders
prices             prices of model tokens
"""
