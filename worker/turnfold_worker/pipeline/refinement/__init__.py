"""What a model is asked about closed segments, and what of its answers is taken. Its notes stand beside the rules.

In reading order:

sources         a group of segments, as the rules left them
requests        words and schema of a request
replies         a reply as values, or what is wrong with its form
quotes          a quote, found in what was said
spellings       how words and values are written in programs and in haste
claims          the words of a claim, its sentences and clauses
negations       the words that deny, and those that only seem to
formulas        LaTeX as it is written in a line
passages        the sentences of a source: what they say, deny, and of whom
told_periods    the days that the times of a turn may mean
claimed_days    whether the days of a note are those that its turns tell
figures         the numbers of turns, and whether those of a note are among them
conditions      whether a note states what was said under a condition
opposites       whether a note has the opposite of a word that was said
withheld        whether a note affirms what was named only to be denied, or ended
directions      whether a note has for one end what was the other: of a change, a preference, a measure
orders          whether a note tells as done what was only asked for
denials         what was denied, and whether a note denies that alone
unfaithful      why notes are refused
subjects        whom sentences are about, and whether that was said of them
names           the names of a note, and whether they stand where it says
scopes          the turns that a note may speak of, and what of it they do not bear out
faithfulness    whether a note says only what was said
overtaken       what holds no more, where what was said bears it out
anchors         what becomes of quotes
brief           whether a note's brief is the note in fewer words
notes           what becomes of notes
told            which anchors notes tell
levels          levels from notes
untold          what a note on a segment tells beside those on its chapter
ends            until which turn held what notes say among other things
outline_notes   a model's notes among those that contexts are made of
reconstruction  words for turns that retention removed
"""
