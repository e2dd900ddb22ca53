"""Choose the parts of a context: by value per token over the whole conversation, or by age.

In reading order:

spoken_words   the words of a statement, and whether one statement repeats another
top_anchors    the anchors of a read, best first
past           candidate notes of the past, evaluated lazily
group_spans    which turns share a line
frame          all lines before the recent turns
requests       what an agent was asked to do
changed_lines  the lines of a changed file as its edits left them
work_state     files as last changed, runs and failures
answers        turns that answer a query, verbatim
doubts         anchors that turns after the last fold may have changed
fitting        the first of a ranking while there is room
query_notes    notes that a query adds, after those chosen without it
draft          a plan under construction, and what its parts leave to each other
first_parts    requests, anchors, names, actions
raw_turns      which recent turns are shown raw
noted_past     notes by value per token, and what a question adds
ages           notes by age
parts          all parts of a context, from these
asked_blocks   code, tables and outputs that a query asks for
selection      the largest context of such parts that fits
"""
