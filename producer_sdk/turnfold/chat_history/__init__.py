"""Histories that callers hold themselves: what is new is appended, what is old is replaced by a block of memory.

For whatever stands between an application and its provider, and sees the whole history at each call.

keeper          `HistoryKeeper`: all of it in one call
fold            a history inside its budget
memory          the conversation behind it: what is appended, cut off, read
recall          what a question brings back
fold_points     where each was folded the last time
folding         what is forwarded, and what it costs
alignment       which messages are new, and where a history left the stored one
identity        ids of messages
caller_turns    a caller's list as turns, in chat completions' form and in Responses'
storable        a message as a turn that may be stored
"""
