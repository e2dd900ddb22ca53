"""What operators and people look at.

migrate, schema    the schema of this version: expand it, contract it, hold it against a database's
doctor             checks of invariants and of the surroundings
decisions          retrying or skipping work, for whoever has no command line
inspection, conversation_tree, provenance   one conversation: its tree, its words, who wrote them
list_conversations, tenant_totals   all conversations of a tenant; how much there is
tenant_move, copied_rows   a tenant's way to another cell; what is compared on it
tenant_keys        a tenant's keys of the gateway, on the same way
tenant_erasure     hiding and erasing all of a tenant
reshard            another number of shards, or other Redis servers, while all runs
row_counts         how much waits in the inboxes
digest             a hash of a conversation's canonical state
prometheus         what monitoring reads
"""
