"""Analyses a text without knowing its speaker: sentences, words, dates, numbers, facts, names.

In reading order:

prose           splits a text into sentences, clauses and code blocks, by offset
pasted          finds text in a turn that another person wrote
plain_lines     renders a text on one line, without Markdown markup
spoken          normalizes speech for the rules
words           the words of a text, for comparing texts; negations
word_forms      forms of a word, and synonyms
refusal         whether a sentence proposes something, and whether one refuses it
spoken_verbs    whether a text contains a verb
common_words    everyday words, which say little about a subject
rarity          how rare, and so how informative, a word is
required_words  which of many regexes can match a text at all
number_words    converts numbers written in words to digits
quantities      normalizes numbers and dates
facts           numbers, dates, names, identifiers, paths, errors
mentions        paths and symbols
"""
