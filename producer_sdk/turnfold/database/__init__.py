"""What the client reads of SQL: engines, statements built once, and what a process remembers of conversations.

In reading order:

engines, failures   how a database is opened; what its failures mean to a caller
session_settings    what PostgreSQL's sessions are set to, with a pooler and without
schema_check        whether a database serves the schema that a process works with
driver              statements on the driver itself
processor_share     how many threads compute at once
lists, database_clock   lists as one value, words inside a text; the time by the database's clock
statements, query_statements   what is asked, built once
rows                rows as the contract's records
known               what a process remembers of the conversations that it read last
query_read          what a read with a query finds beside the conversation
value_read          the read of the default policy
anchor_read         anchors in the order in which they were said, and those of the open tail
note_read           the notes of segments
segment_read        segments with their words, facts and relations, and how often they are looked up
past_read           the anchors that held when an earlier turn was the newest one
progress_read       how far the work on a conversation is
work_read           work that needs a person, and what models cost
subject_read        whose turns are stored
exports             whole conversations as the lines of an archive
read_transaction    all else that one look at the database can be asked
steering            what the newest user turn steers a context to
change_events       what workers changed between two reads
remnants            where erased words may stand for a while
reader              runs these, and once more when a connection was lost
read_source         what such a read asks
replicas            reads from a replica that has what workers stored
"""
