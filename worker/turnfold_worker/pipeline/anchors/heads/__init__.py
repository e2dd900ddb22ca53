"""Small trained heads that add acts the rules miss, and may cast doubt on acts the rules found.

evidence          features of turns for the act head
head              commitments that the head adds and doubts
statement_kinds   kind of statement that a clause makes, from its words
"""
