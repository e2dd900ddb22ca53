"""The pages.

entrance        signing in and out; addresses that no page has
conversations   list and search
conversation    time line, turns and search of one conversation
anchors         anchors of a type and a state
segment         one segment with all that is known of it
contexts        a context live; two contexts compared
expansion       what a marker stands for
work            jobs, what models cost
erasure         forgetting a conversation
"""
