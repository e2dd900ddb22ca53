"""Data for templates, made from the SDK's records. Pure: no request, no clock, no template.

kinds      names and explanations of parts, anchors and states, for legends
words      text for display: clipped, control characters visible, markers and anchors as runs
bars       sizes as rectangles of a drawing
segments   rows of the timeline, by day
contexts   a context as coloured pieces, its stacked bar and its account
usage      cost of models, by day
"""
