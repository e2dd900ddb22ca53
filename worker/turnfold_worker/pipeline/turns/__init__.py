"""Reads and classifies each turn once, for all later stages.

In reading order:

echoes       tool output quoted in an agent's own turn
memo         cache of what the stages derived from a turn, kept for the next fold
reading      speaker, sentences, code and facts of a turn
tool_groups  tool calls and their results, which form one unit
voices       whose words a turn contains: a person's, a tool's, a fetched page's
manuals      standing instructions of a harness
rules        binding sentences of a task
requests     the tasks that users give an agent
edits        lines that a tool call writes into a file
actions      what was done with tools
repeats      turns that repeat an earlier turn
importance   importance of a turn, from 0 to 100
classify     whether a turn is kept, referred to, summarized by kind, or compressed
treatment    all of the above for the turns of a segment
"""
