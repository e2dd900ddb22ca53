"""What producers and workers agree on: records, tables, Redis keys, task names, canonical columns.

records, results    the glossary; what calls return and what one read fetched
segments, attention   segments as callers get them; work that needs a person, what models cost
wanted_anchors      which anchors a read is for
shards, server_urls   in how many parts inboxes are, and on which servers
cells               whole installations, and in which one a tenant lives
keys, tasks, rings  Redis keys; task names, queues, operations of an inbox; who is asked for a task, and where
columns, tables, search_tables, work_tables, model_tables, gateway_tables   the schema
schema_range        which versions of it go together
webhook_triggers    what writes the outbox of webhooks
marks               how far a conversation is stored
canonical           what must be equal between any two runs
configuration       what `configure` and `resolve_anchor` may set
notes, note_lists, outlines   statements in few words, and how they are stored, of a node and of a conversation
overtaken   what was said and holds no more
model_anchors   ids of a model's anchors, and its marks on those of the rules
turn_limits         how many turns a context reads, and how much of each
tail_anchors        anchors of turns that no segment holds yet
periods             days, weeks, months and years, with the precision in which they were told
note_times, time_terms   when what a note says was or holds, and how a query's time finds it
passages, posting_pieces, words, terms   how a query finds them
dropped_postings    the mark of a conversation whose postings are to be made again
lazy_patterns       regular expressions that are compiled when they are first used
actions             what was done with tools
requests            what users asked an agent to do
access              what is looked up
vectors             sentence vectors as they are stored
fences              where code stands in a text
turn_parts          the parts of a long turn, as they are stored
lookalike_letters   characters that look like letters and colons
lookalikes          what names and lines look like
seals               words that only an installation can have written
speakers, origins   what a speaker is called, where words come from
text, remembered    text that is cut, results that are kept
explained_errors    errors that say what to do
"""
