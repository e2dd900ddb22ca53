"""The schema of a database, beside that of this version.

steps       the migrations, which either expand or contract
mismatch    why a database is not one that this version works with
drift       what differs between its tables and this version's
partitions  large tables in hash partitions, a choice at the first migration
indexes     indexes that it lacks, built while others write
statistics  columns of words, of which PostgreSQL's planner keeps no values
"""
