"""How a new anchor affects an earlier one.

likeness      similarity of two anchors by words, by vectors and by exact values
subjects      whether two anchors are about the same thing, by the words around their values
answers       whether an anchor answers an open question
differences   how two anchors differ: another value, another word, another order
plans         the plan that replaces one set aside without a name
opposites     denials that contradict other statements of the speaker, and newer values of what changed
attribute_values   the effect of a new age, pay or owner on an earlier one
two_values    two values of the same thing in one turn: a contradiction
overtaking    whether the new anchor supersedes the earlier one
said_between  whether the value that a correction may refer to is the last one said
settle        whether the new anchor repeats, corrects, answers or completes the earlier one
"""
