"""Render the parts of a context: lines of text, provider messages, markers, and their token costs.

In reading order:

markers        references to text that is left out
clip           text cut to a number of tokens
text_pieces    a long turn as paragraphs, items, rows, runs of lines
clip_around    a long turn cut to its most informative pieces
content_parts  parts of a message in either provider's form
seal           the frame around the record, and the token that no turn can forge
chat           the recent turns as they are shown
render_text    lines of text
groups         notes under one line
render_openai, render_anthropic   messages of a provider
form_tokens    token cost of a form
"""
