"""Find, name, index and retrieve the code blocks, tables, outputs and commands of turns. Pure.

blocks      find the blocks of a text, and name each on one line
languages   detect the language and kind of a block
index       the stored index entries of a segment's blocks
requests    detect whether a query asks for a block, and for which
ranking     rank blocks for a query
"""
