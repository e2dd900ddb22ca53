"""The parts of a context: whatever says most for a token over all that was said, or most of what is new.

In reading order:

spoken_words    the words of a statement, and whether one says what another does
top_anchors     the anchors of a read, best first
past            the notes that there are, looked at as far as needed
group_spans     which lines they stand under
frame           all lines before the recent turns
requests        what an agent was asked to do
changed_lines   the lines of a changed file as they stand
work_state      files as last changed, runs and failures
answers         turns that answer a query, word for word
doubts          what turns after the last fold may have changed
fitting         the first of a ranking while there is room
told_rules      notes that say a rule again that is shown
asked           what a query adds, behind what stands there whatever is asked
draft           a plan in the making, and what its parts leave to each other
first_parts     anchors, names, actions
raw_turns       which recent turns are shown raw
noted_past      notes by value for a token, and what a question adds
ages            notes by age
parts           all parts of a context, from these
asked_blocks    code, tables and outputs that a query asks for
selection       the largest context of such parts that fits
"""
