"""A turn as statements, each with its worth; and the passages by which a query finds them.

In reading order:

phatic       talk that carries nothing
addressed    a sentence without the name of the other, whom it calls
whole        a clause as it was said, on one line
telegraph    the same in fewer words
turned       clauses that turn the one before them round
alone        clauses that are not understood without the one before
told_clauses  the clauses of a turn, each with what it is not understood without
captions     a picture's caption beside the clause that shows it
salience     how much of what a clause says would be missed
events       how much more or less a clause tells of what happened
announced    what an agent says around its commands
samples      what an assistant wrote that tells nothing of its user
assistant_text   what the clauses of an assistant's text are worth beside each other
refused      a proposal beside its refusal
short_replies  the question before a reply that says nothing alone
word_weights  what the words of a note weigh
turn_notes   a turn as notes
taken_back   notes of earlier segments that a later statement takes back
overtaken_values   what holds no more: by anchors that are over, by notes that name the value whose place they take
own_anchors  a segment's notes beside its own anchors and pasted text
told_beside  what a note tells beside its own words: the value before, its question, the other value of its turn
in_force     which notes still hold, and what took the place of the others
ranking      the order in which notes are taken when nothing is asked
passages     the passages of a segment, and their postings
search_rows  what a query finds a segment by, made by a fold or made again
repeat_notes  what later segments may repeat, and what it repeats
"""
