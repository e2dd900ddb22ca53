"""What a new anchor does to one before it.

likeness      how alike two anchors are: by words, by vectors, by what they state exactly
subjects      whether they speak of one thing, by the words around their values
answers       whether one answers a question
differences   in what they differ: another value of the same thing, another word, another order
plans         what takes the place of a plan that is set aside without a name
opposites     what somebody denies that he said elsewhere, and a newer value of what changed
attribute_values   what a new age, pay or owner does to an earlier one
two_values    two values of one thing in one turn: a contradiction
overtaking    whether the new one takes the place of the earlier one
settle        whether the new one repeats, corrects, answers or finishes the earlier one
"""
