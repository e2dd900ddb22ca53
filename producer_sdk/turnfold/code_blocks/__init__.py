"""Code blocks, tables, outputs and commands of turns: found, named, indexed, asked for. Pure.

blocks      the blocks of a text, and what each is called on one line
languages   which language a block is in, and which kind of thing that is
index       what is stored of the blocks of a segment, by which they are found again
requests    what a query says of a block that it asks for
ranking     which block a query means
"""
