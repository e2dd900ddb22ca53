"""Structured content: recognized by what its lines look like, and summarized by kind. One kind a module."""

from turnfold_worker.pipeline.content.fences import Piece, split_fences
from turnfold_worker.pipeline.content.recognize import Kind
from turnfold_worker.pipeline.content.statements import Statement
from turnfold_worker.pipeline.content.summary import Content, fit_statements, kind_of, read_content, summarize_content

__all__ = [
    "Content",
    "Kind",
    "Piece",
    "Statement",
    "fit_statements",
    "kind_of",
    "read_content",
    "split_fences",
    "summarize_content",
]
