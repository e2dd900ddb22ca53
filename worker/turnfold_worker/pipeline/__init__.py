"""The pure stages that turn a run of turns into a node.

In reading order:

settings     what a caller may choose
dates        days as people write them
common_words words that tell little
words        the words of a text, for comparing texts
prose        a text as sentences, clauses and code blocks, by offset
facts        numbers, dates, names, identifiers, paths, errors
reading      one turn, read once for all the stages
tool_groups  a tool call and its results are one unit
segment      where one segment ends and the next begins
act_rules    phrases that promise and ask (statement_rules: decide, correct, state; reply_rules: answer)
acts         what each clause does, by these phrases
anchors      verbatim spans that must not be lost, chosen from the acts
deduplicate  anchors against earlier anchors: repeats, corrections, answers
content      tool output, logs, tables, code …: recognized, then stated by kind
importance   how important a turn is, from 0 to 100
repeats      turns that say again what an earlier turn said
classify     what becomes of each turn before anything is summarized
treatment    the turns of a segment, read and decided about once
telegraph    a sentence in fewer words
notes        a turn as statements in fewer words, each with its worth
coverage     the order in which notes are taken
mentions     paths and symbols of a text
ledger       which names a conversation is about
units        what a level is chosen from, and how it is chosen
tags         the line of tags, and the slug
summarize    the three levels of a segment
fold         a segment as a node; the total fallback
roll_up      eight nodes as a chapter

No stage does I/O, reads a clock, or keeps state: same turns and settings, same output, on every platform.
"""
