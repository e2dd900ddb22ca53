"""Ask a model about closed segments, check its reply, and keep the parts that the turns support.

A model's notes are kept next to those of the rules. In reading order:

sources         the input of a request: a group of segments as the rules left them
requests        prompt text and schema of a request
replies         parse a reply, or say what is wrong with its form
quotes          locate a quote in the turns
spellings       spelling variants from code and hasty typing
claims          content words, sentences and clauses of a claim
negations       words that deny, and words that only seem to
formulas        LaTeX rewritten as inline text
passages        the sentences of a source: their words, denials and subjects
told_periods    the days that the times of a turn may mean
claimed_days    check a note's dates against its turns
figures         check a note's numbers against its turns
conditions      detect a note that drops a condition
opposites       detect a note that says the opposite of its turns
withheld        detect a note that affirms what its turns only deny or end
directions      detect swapped ends of a change, sides of a preference or units of time
orders          detect a note that reports a request as done
denials         check that a note denies only what its turns deny
unfaithful      reasons to refuse a note
subjects        check that a note attributes statements to the right speaker
names           check a note's names against its turns
scopes          check a note's words, figures, negations and speakers against nearby turns
faithfulness    all checks of a note together
overtaken       accept claims that something no longer holds
anchors         turn quotes into anchors
brief           check that a note's brief says what the note says
notes           accept, truncate or refuse notes
told            find the anchors that notes already cover
levels          build levels from notes
untold          what a segment's note adds to the notes on its chapter
ends            mark parts of notes with the turn until which they held
outline_notes   convert a model's notes to those that contexts are built from
reconstruction  write text for turns that retention removed
"""
