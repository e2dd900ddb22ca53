"""What is shown by age: the newest turns raw, what is folded in more detail the newer it is.

In reading order:

cut        nodes that cover the folded past exactly once, each at some level
bands      the levels of that cut by age
parts      all parts of a context, from these
selection  the largest context of such parts that fits
"""
