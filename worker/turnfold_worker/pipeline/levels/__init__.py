"""The three levels of a segment, written by rule.

In reading order:

preserved   code and other exact words, which stand whole or are named
units       what a level is chosen from, and how it is chosen
tags        the line of tags, and the slug
topic_shifts   where the words of a long text change from one topic to another
parts       the parts of a long turn, under headings or by topic
summarize   the levels: prose that can be read, its best clauses, the tags
relations   who is, has, uses or did what
fact_lists  what a node keeps of its facts
"""
