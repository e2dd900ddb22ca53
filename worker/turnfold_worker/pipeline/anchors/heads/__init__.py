"""Small trained heads that add acts the rules miss, and may cast doubt on acts the rules found.

evidence          features of turns for the act heads, besides sentence vectors
head              acts that the heads add and doubt
statement_kinds   kind of statement that a clause makes, from its words
"""
