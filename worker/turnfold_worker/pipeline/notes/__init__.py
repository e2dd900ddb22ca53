"""A turn as statements in fewer words, each with its worth; and the passages by which a query finds them.

In reading order:

needed_words, needed_verbs, needed_pointers   small words without which a sentence would say something else
telegraph   a sentence in fewer words
turn_notes  a turn as notes
in_force    which notes still hold, and what took the place of the others
ranking     the order in which notes are taken when nothing is asked
passages    the passages of a segment, and their postings
block_notes   its code, tables and outputs, as a query finds them
"""
