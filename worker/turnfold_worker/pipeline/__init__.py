"""The pure stages that turn a run of turns into a node.

In the order in which they are laid upon each other, each using only those before it:

settings            what a caller may choose
language     sentences, words, dates, numbers, facts and names of any text
content      tool output, logs, tables, code …: recognized, then stated by kind
turns        a turn read once: what it does with tools, repeats, is worth, and what becomes of it
segments     where one segment ends and the next begins
anchors      verbatim spans that must not be lost; which earlier ones they repeat, correct or settle
notes        a turn as statements in fewer words, each with its worth; the passages by which a query finds it
levels       the three levels of a segment, chosen from its turns
ledger       which names a conversation is about
fold         all of this: a segment as a node; and the fallback that cannot fail
roll_up      eight nodes as a chapter
tail_anchors  the anchors of turns that no segment holds yet
outline      the best notes of a whole conversation, in the order in which a budget takes them
access       what is looked up often
refinement   what a model is asked about segments, and what of its answers is taken

No stage does I/O, reads a clock, or keeps state: same turns and settings, same output, on every platform.
"""
