"""The pure stages that turn a run of turns into a node.

Listed in dependency order; each stage imports only those above it:

settings      the fold settings that a caller may choose
language      sentences, words, dates, numbers, facts and names of any text
content       tool output, logs, tables, code …: recognize the kind, then summarize it as statements
turns         one reading per turn: tool calls, repeats, importance, and how the turn is to be summarized
segments      where one segment ends and the next begins
anchors       verbatim spans that must not be lost, and which earlier ones they repeat, correct or settle
notes         short statements of a turn, each with a worth; the passages that a query searches
levels        the three levels of a segment, chosen from its turns
name_index    index of the names that a conversation is about
fold          runs all of the above: folds a segment into a node; the fallback that cannot fail
roll_up       rolls eight nodes up into a chapter
tail_anchors  anchors of the turns that belong to no segment yet
outline       the best notes of a whole conversation, in the order in which a token budget is spent on them
access        which segments are expanded often
refinement    the questions a model is asked about segments, and which of its answers are accepted

No stage does I/O, reads a clock or keeps state: same turns and settings, same output, on every platform.
"""
