"""The notes of a conversation as callers get them, read from its stored segments.

importance   score a note from 0 to 100, with named factors
records      notes with their turns, origins, states and markers
wanted       the filter of a caller
read         read notes, a page at a time
"""
