"""The contract that producers and workers share: records, tables, Redis keys, task names, canonical columns.

records, results    the glossary; return types of client calls, and the rows that one read fetched
segments, attention   segments as callers get them; parked or failing work, model usage and cost
wanted_anchors      the filter of an anchor read
shards, server_urls   the shards of the inboxes, and the Redis servers that they live on
cells               separate installations, and the cell that a tenant lives in
keys, tasks, rings  Redis keys; task names, queues, inbox operations; requests for tasks
columns, tables, search_tables, work_tables, model_tables, gateway_tables   the SQL schema
schema_range        schema versions that a database and a process can work with
webhook_triggers    SQL triggers that write the webhook outbox
marks               stored marks, by which readers detect a replica that lags
canonical           the canonical state: columns that are equal between any two runs
configuration       validation of `configure` and `resolve_anchor`
notes, note_lists, outlines   notes, and their storage per node and per conversation
overtaken           statements that are no longer valid
model_anchors       ids of a model's anchors, and its marks on those of the rules
turn_limits         limits on how many turns a context reads, and how much of each
tail_anchors        anchors of turns that are not in a segment yet
periods             days, weeks, months and years, each with its precision
note_times, time_terms   the times that notes refer to, and their search terms
passages, posting_pieces, words, terms   the search index
dropped_postings    the mark of a conversation whose postings were dropped
lazy_patterns       regular expressions that are compiled on first use
actions             tool calls and their outcomes
requests            requests of users to an agent
access              counts of expansions
vectors             sentence vectors in their stored form
fences              code blocks in a text
turn_parts          stored parts of a long turn
lookalike_letters   characters that look like letters and colons
lookalikes          detection of names and lines that imitate others
seals               secret words that only an installation can have written
speakers, origins   labels of speakers, origins of words
text, bounded_memo    cleaning and cutting text, bounded caches
explained_errors    the base class of errors that carry a remedy
"""
