"""A turn, read and decided about once, for all the stages.

In reading order:

echoes       output of a tool in an agent's own turn
memo         what stages made of a turn, kept for the next fold
reading      who speaks, its sentences, its code, its facts
tool_groups  a tool call and its results are one unit
voices       whose words a turn holds: a person's, a tool's, a fetched page's
manuals      standing instructions of a harness
rules        sentences of a task that bind whoever does it
requests     what users ask an agent to do
edits        what a call writes into a file
actions      what was done with tools
repeats      turns that say again what an earlier turn said
importance   how important a turn is, from 0 to 100
classify     what becomes of a turn before anything is summarized
treatment    all of this for the turns of a segment
"""
