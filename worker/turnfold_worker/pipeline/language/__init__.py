"""What can be told of a text without knowing who says it: sentences, words, dates, numbers, facts, names.

In reading order:

prose           a text as sentences, clauses and code blocks, by offset
pasted          where a turn shows what somebody else wrote
plain_lines     a text on one line, without Markdown's marks
spoken          words as the rules look at them
words           the words of a text, for comparing texts
word_forms      forms of a word, and words that mean the same
word_places     words that turn a statement round
refusal         whether a sentence proposes something, and whether one refuses it
spoken_verbs    whether words hold a verb
common_words    words that tell little of a subject
rarity          how much a word tells
required_words  which of many patterns can match a text at all
number_words    numbers that are written in words, as digits
quantities      numbers and dates in one form each
facts           numbers, dates, names, identifiers, paths, errors
mentions        paths and symbols
"""
