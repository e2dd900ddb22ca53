"""What a model is asked about closed segments, and what of its answers is taken. Its levels stand beside the rules.

In reading order:

sources         a group of segments, as the rules left them
requests        words and schema of a request
replies         a reply as values, or what is wrong with its form
quotes          a quote, found in what was said
faithfulness    whether a sentence says only what was said
anchors         what becomes of quotes
levels          what becomes of summaries
reconstruction  words for turns that retention removed
"""
