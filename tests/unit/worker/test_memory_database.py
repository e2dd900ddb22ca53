"""Conversations folded offline share a schema and compiled statements, and nothing else."""

from __future__ import annotations

from turnfold_worker.offline import fold


def test_each_fold_has_its_own_rows() -> None:
    with fold([{"role": "user", "content": "We must use PostgreSQL 16."}]) as one, fold([]) as other:
        assert one.status().stored == 1
        assert other.status().stored == 0


def test_a_closed_fold_harms_none_that_comes_after() -> None:
    digests = []
    for _ in range(3):
        with fold([{"role": "user", "content": "We must use PostgreSQL 16.", "turn_id": "t1"}]) as folded:
            digests.append(folded.digest())

    assert len(set(digests)) == 1
