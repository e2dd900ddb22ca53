"""What a new anchor does to one before it.

likeness      how alike two anchors are: by words, by vectors, by what they state exactly
differences   in what they differ: another value of the same thing, another word, another order
settle        whether the new one repeats, corrects, answers or finishes the earlier one
"""
