"""Where one segment ends and the next begins.

In reading order:

gap_signs     signs: the properties of a turn that boundaries depend on
gap_features  features of a gap: evidence for and against a change of topic
gap_scorer    scores how likely a gap is to be a change of topic
segmenter     decides the cuts: an online left fold, with at most three turns of look-ahead
"""
