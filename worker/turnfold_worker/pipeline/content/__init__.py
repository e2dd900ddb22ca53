"""Structured content: recognized by what its lines look like, and summarized by kind.

In reading order:

statements  what a summary is made of
recognize   which kind a text is
code, data, diffs, listings, logs, matches, pairs, plain, reports, shell, sql, tables, traces   one kind each
summary     recognized, then summarized by its kind
"""

from turnfold_worker.pipeline.content.recognize import Kind
from turnfold_worker.pipeline.content.statements import Statement
from turnfold_worker.pipeline.content.summary import kind_of, read_content

__all__ = ["Kind", "Statement", "kind_of", "read_content"]
