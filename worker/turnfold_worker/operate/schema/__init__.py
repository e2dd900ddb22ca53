"""Compare a database's schema with that of this version, and bring it up to date.

steps       the migrations, which either expand or contract
mismatch    why this version cannot work with a database
drift       differences between its tables and this version's
partitions  large tables in hash partitions, a choice at the first migration
indexes     missing indexes, built while others write
statistics  text columns whose values PostgreSQL's planner must not sample
"""
