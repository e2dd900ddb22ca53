"""What the rules miss: small trained heads, which add to what rules find in a turn and may doubt it.

evidence          what the heads of acts look at beside sentence vectors
head              acts that they add and doubt
statement_kinds   what kind of statement a clause makes, by its words
"""
