"""Wire format: validation of callers' values, inbox entries, and turns decoded from entries. Pure.

encode, decode     turns to inbox entries, and back
inbox_entry        an entry read from an inbox
projection         a provider's message as text
turn_edits         edits, deletions and rewinds
change_cues        detection of turns that may change earlier statements
json_values, whole_numbers, name_sets   validation of JSON, counts and names from callers
redaction          the caller's redaction, before anything is stored
archives           whole conversations as lines of JSON
"""
