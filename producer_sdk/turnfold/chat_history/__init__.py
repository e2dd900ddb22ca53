"""Fold histories that callers keep themselves: append new messages, and replace old ones by a block of memory.

For proxies and hooks between an application and its provider, which see the whole history at each call.

keeper          `HistoryKeeper`: append and fold a request in one call
fold            fit a history into its budget
memory          the stored conversation: append, cut off, read
recall          notes that answer the newest question
fold_points     the last fold of each conversation, kept in Redis
folding         build the forwarded messages, and price them
alignment       find new messages, and where a history diverged from the stored one
identity        ids of messages, made from their content
caller_turns    read a caller's messages as turns, in the form of chat completions or Responses
storable        fit a message into the size of a turn
"""
