"""What the rules miss: small trained heads, which add acts to the turns of a segment and may doubt those of rules.

evidence   what the heads look at beside sentence vectors
head       what they add and doubt
"""
