"""What use cases work with, by the system that it speaks to.

sql, redis, openai   packages of their own
sentence_embedder, bert   sentence vectors, on this machine's CPU
own_model          a caller's own summarizer
prompt_files       what models are told, from the folder `prompts`
redaction          placeholders in the place of what a model must not see
prices             what a model's tokens cost
"""
