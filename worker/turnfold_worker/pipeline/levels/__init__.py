"""The three levels of a segment, written by rule.

In reading order:

lines       the lines of a level
preserved   what stands as it was said: code and other exact words, whole or by name, and turns of great importance
detailed    level 1: a segment's notes at a quarter of its length, beside what is preserved
tags        the line of tags, and the slug
topic_shifts   where the words of a long text change from one topic to another
parts       the parts of a long turn, under headings or by topic
summarize   the levels: the same notes at two lengths, the tags
relations   who is, has, uses or did what
fact_lists  what a node keeps of its facts
"""
