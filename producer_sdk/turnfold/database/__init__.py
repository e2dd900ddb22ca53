"""The client's reads from SQL: engines, prepared statements, and a cache of conversations.

In reading order:

engines, failures             creation of engines; translation of database errors
session_settings              PostgreSQL session settings, with and without a pooler
schema_check                  check that a database serves a compatible schema
driver                        statements executed on the driver directly
processor_share               limit on the number of threads that compute at once
lists, database_clock         lists as one parameter, LIKE patterns; the database's clock
statements, query_statements  statements, built once
rows                          conversion of rows to the contract's records
conversation_cache            cache of the conversations that were read last
query_read                    additional reads for a query
value_read                    the read of the default policy
anchor_read                   anchors in order of mention, and those of the open tail
note_read                     notes of segments
segment_read                  segments with their text, facts, relations and expansions
past_read                     anchors that were active at an earlier turn
progress_read                 progress of the work on a conversation
work_read                     work that needs a person, and model usage
subject_read                  stored turns of an end user
exports                       whole conversations as the lines of an archive
read_transaction              all other reads within one snapshot
steering                      search text derived from the newest user turn
change_events                 events for changes by workers between two reads
remnants                      places where erased words may remain for a while
reader                        execution of reads, with a retry after a lost connection
read_source                   protocols of the sources of a read
replicas                      reads from a replica that is up to date
"""
