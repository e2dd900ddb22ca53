"""What templates show, made of the SDK's records. Pure: no request, no clock, no template.

kinds      names and explanations of parts, anchors and states, for legends
words      texts as people may see them: clipped, control characters visible, markers and anchors as runs
bars       sizes as rectangles of a drawing
segments   rows of the time line, by day
contexts   a context as coloured pieces, its stacked bar and its account
usage      what models cost, by day
"""
