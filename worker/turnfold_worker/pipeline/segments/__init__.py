"""Where one segment ends and the next begins.

In reading order:

gap_signs     what of a turn decides
gap_features  evidence for and against a change of topic at a gap
gap_scorer    how likely a gap is to be a change of topic
segmenter     the cuts: an online left fold, with at most three turns of look-ahead
"""
