"""What use cases need of the outside world, and the values that they hand to one another.

storage            inboxes, sentence vectors, messages to workers
models             a language model, its limits, and what SQL remembers of calls
messages           values of one moment
"""
