"""Turn a turn into notes, each with its worth, and into the passages by which a query finds them.

In reading order:

phatic       greetings, thanks and praise that carry no information
addressed    drop the name by which a sentence calls the listener
whole        a clause as it was said, on one line
telegraph    the same clause in fewer words
turned       clauses that reverse the one before
alone        clauses that cannot be understood without the one before
told_clauses  split a turn into clauses, each with what it cannot be understood without
captions     attach a picture's caption to the clause that shows the picture
salience     how likely a clause is to be asked about later
events       raise or lower a clause's worth by whether it tells of an event
announced    text that an agent writes around its commands
samples      assistant text that says nothing about its user
assistant_text   relative worth of the clauses of an assistant's text
refused      show a proposal together with its refusal
short_replies  the question before a reply that says nothing alone
word_weights  weights of the words of a note
turn_notes   the notes of a turn
taken_back   notes of earlier segments that a later statement retracts
overtaken_values   what no longer holds: by overtaken anchors, and by notes that name the value they replace
own_anchors  weigh a segment's notes by its own anchors and pasted text
told_beside  extend a note: the previous value, its question, the other value of its turn
in_force     which notes still hold, and which replace others
ranking      the order in which notes are selected without a query
passages     the passages of a segment, and their postings
search_rows  a segment's search data, built by a fold or rebuilt
repeat_notes  what later segments may repeat, and what a segment repeats
"""
