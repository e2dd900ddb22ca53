"""Structured content: recognized by the look of its lines, and summarized by kind.

In reading order:

statements  the statements that a summary consists of
recognize   recognizes the kind of a text
code, data, diffs, listings, logs, matches, pairs, plain, reports, shell, sql, tables, traces   summarize one kind each
summary     recognizes a text, then summarizes it by its kind
"""

from turnfold_worker.pipeline.content.recognize import Kind
from turnfold_worker.pipeline.content.statements import Statement
from turnfold_worker.pipeline.content.summary import kind_of, read_content

__all__ = ["Kind", "Statement", "kind_of", "read_content"]
