"""Which passages, notes and segments answer a query. Pure.

turn_scores        passages, from the postings of a query's terms
note_hits          notes, from these passages
relevance          segments and turns by their terms alone
matter             notes of what the newest user turn is about
order_questions    what a question says about the conversation itself
query_times, event_times   the days, months and years that a query names, or counts from an event
answerable         whether anything answers a query
first_mentions     the passages of a timeline
"""
