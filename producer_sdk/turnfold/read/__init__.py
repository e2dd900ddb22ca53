"""The reads of a conversation, from Redis and SQL.

queries            context, anchors and status, each readable from top to bottom
arguments          validate callers' arguments
snapshot           the state of a conversation at one instant
anchor_pages       pages of anchors, in their current or an earlier state
pending_edits      apply edits that are still in the inbox
past_days          a context as of an earlier day
search, timeline, notes   full-text search; first mentions in order; notes as callers get them
expand, turn_parts   the content behind a marker; parts of long turns
reconstruction     passages in place of turns that retention removed
references         short ids of assembled contexts
relations          structured facts that segments state
segment_tiers      hot, warm and cold segments
stored_pages       pages of turns, segments and conversations; work and its cost
polling            wait for workers
"""
