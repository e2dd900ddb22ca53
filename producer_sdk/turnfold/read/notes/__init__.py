"""The notes of a conversation as callers get them, from what is stored of its segments.

importance   0 to 100, with its named factors
records      notes with their turns, origins, states and markers
wanted       which of them a caller asks for
read         the read, a page at a time
"""
