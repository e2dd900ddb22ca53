"""The three levels of a segment, written by rule.

In reading order:

lines         formats the lines of a level
preserved     text kept verbatim: code and other exact text, whole or by name, and important turns
detailed      level 1: a segment's notes at a quarter of its length, and the preserved text
tags          the tag line (level 3), and the slug
topic_shifts  finds the topic boundaries in a long text
parts         the parts of a long turn, by its headings or by topic
summarize     all levels: the notes at two lengths, and the tags
relations     subject-verb-object statements: who is, has, uses or did what
fact_lists    ranks the facts that a node keeps
"""
