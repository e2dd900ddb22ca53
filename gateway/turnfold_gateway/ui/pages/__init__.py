"""The pages.

entrance        signing in and out; unknown addresses
conversations   list and search
conversation    timeline, turns and search of one conversation
anchors         anchors of a type and a state
segment         one segment with all its data
contexts        a live context; two contexts compared
expansion       the text that a marker stands for
work            jobs, and the cost of models
erasure         erasing a conversation
"""
