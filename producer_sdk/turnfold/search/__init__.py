"""Find the passages, notes and segments that answer a query. Pure.

turn_scores        passages, scored by postings of a query's terms and by embeddings
note_hits          notes, from the best passages
relevance          segments and turns, by their terms alone
matter             the subject of the newest user turn, and notes about it
order_questions    questions about the conversation itself
query_times, event_times   days, months and years that a query names, or counts from an event
answerable         how likely a query is answered
first_mentions     the passages of a timeline
"""
