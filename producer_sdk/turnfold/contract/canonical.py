"""The canonical state: columns that must be equal between any two runs over the same turns and settings.

Excluded on purpose: generated ids (surrogate keys, generated turn ids), clock columns, revisions, jobs, usage,
access counts, and rows written by a model (`refined` 1).
"""

from __future__ import annotations

import zlib
from typing import Final

CANONICAL_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "conversation": (
        "turn_count", "closed_seq", "fold_seq", "node_count", "anchor_count", "anchor_tokens", "next_anchor",
        "segmenter", "said", "settings",
    ),
    "turn": (
        "seq", "role", "name", "content", "parts", "importance", "created_at", "metadata", "tokens", "content_hash",
        "state",
    ),
    "operation": ("number", "kind", "after_seq", "body"),
    "node": (
        "height", "idx", "first_seq", "last_seq", "started_at", "ended_at", "slug", "tokens_0", "tokens_1", "tokens_2",
        "tokens_3", "importance", "method", "facts", "source_hash",
    ),
    "level": ("height", "idx", "level", "body"),
    "note_list": ("height", "idx", "tokens", "best", "ledger", "actions", "said"),
    "outline": ("part", "body"),
    "anchor": (
        "id", "node_idx", "seq", "start_offset", "end_offset", "kind", "body", "tokens", "score", "rank", "factors",
        "valid_from", "valid_to", "state", "related", "replaces", "settled_after", "ruled",
    ),
    "passage": ("bundle", "body", "times"),
    "posting": ("number", "body"),
    "block_list": ("idx", "body"),
    "part_list": ("idx", "body"),
    "repeat_mark": ("mark", "idx", "seqs"),
    "anchor_posting": ("term", "anchor"),
}  # fmt: skip
"""Tables and columns in the order in which `turnfold digest` hashes them, rows in primary-key order."""

COMPRESSED: Final = {("posting", "body"): zlib.MAX_WBITS, ("passage", "body"): -zlib.MAX_WBITS}
"""Columns hashed in uncompressed form, as compressed bytes differ between zlib builds; with zlib's `wbits`."""

RULES_ONLY: Final = frozenset({"level", "anchor"})
"""Tables of which only rows with `refined` = 0 are canonical."""
