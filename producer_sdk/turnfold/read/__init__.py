"""The reads of a conversation, from Redis and SQL.

queries            context, status, anchors and notes, each from top to bottom
arguments          what callers give
snapshot           what a read finds at one instant
anchor_pages       anchors, page by page, as they stand or stood
pending_edits      edits that wait in the inbox
past_days          a context of an earlier day
search, timeline, notes   what holds a query's terms; what came up, in order; notes as callers get them
expand, turn_parts   what a marker stands for; parts of long turns
reconstruction     words in the place of turns that retention removed
references         short ids that stand for assembled contexts
relations          structured facts that segments state
segment_tiers      hot, warm and cold segments
stored_pages       turns, segments and conversations, page by page; work and its cost
polling            waiting for workers
"""
