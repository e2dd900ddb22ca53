"""What goes over the wire: callers' values become entries of an inbox, and entries become turns again. Pure.

encode, decode     turns as entries of an inbox, and back
inbox_entry        such an entry, as it lies there
projection         a provider's message as text
turn_edits         edits, deletions and rewinds
change_cues        whether a turn may change what was said before
json_values, whole_numbers, name_sets   JSON, counts and names as callers give them
redaction          what a caller takes out before anything is stored
archives           whole conversations as lines of JSON
"""
