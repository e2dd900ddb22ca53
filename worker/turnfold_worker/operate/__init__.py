"""Operator tools: migrations, health checks, inspection, metrics, and moves of tenants and shards.

migrate, schema    the schema of this version: expand it, contract it, compare a database with it
doctor             checks of the invariants, the servers and the workers
decisions          retry or skip parked work, for callers without a command line
inspection, conversation_tree, provenance   one conversation: its tree, its text, who wrote each part
list_conversations, tenant_totals   all conversations of a tenant, and how much is stored
tenant_move, copied_rows   move a tenant to another cell, and compare the two copies
tenant_keys        copy a tenant's gateway keys during such a move
tenant_erasure     hide and erase everything a tenant has
reshard            change the number of shards, or the Redis servers, while everything runs
row_counts         how much is waiting in the inboxes
digest             a hash of a conversation's canonical state
prometheus         metrics for monitoring
"""
