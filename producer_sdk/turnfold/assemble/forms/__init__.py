"""What parts of a context are in words: lines of text, messages of a provider, markers, and what they cost.

In reading order:

markers        what stands for words that are left out
clip           text cut to a number of tokens
text_pieces    a long turn as paragraphs, items, rows, runs of lines
clip_around    a long turn cut around what it tells
content_parts  parts of a message in either provider's form
seal           the frame around what is told, and the sign that only we know
chat           the recent turns as they are shown
render_text    lines of text
groups         notes under one line
render_openai, render_anthropic   messages of a provider
form_tokens    what a form costs
"""
