"""Replies stored in files can replace a model."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from support.talk import talk
from turnfold_worker.offline import fold

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def written_notes(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("written_notes")


def test_a_reply_file_becomes_notes_and_what_nobody_said_is_told(tmp_path: Path, written_notes: Any) -> None:
    with fold(talk("c", 60), settings={"segment_max_turns": 6, "segment_min_turns": 4}) as folded:
        asking = written_notes.FiledModel(tmp_path)
        written_notes.refined(folded, asking)
        request = min(asking.waiting, key=lambda one: one.user)
        assert (tmp_path / "requests" / f"{request.hash[:16]}.md").read_text(encoding="utf-8")
        segment, seq, speaker, said = re.search(  # type: ignore[union-attr]
            r"^=== segment (\d+) .*\n(?:\[.*\n)?#(\d+) ([^:]+): (.+)$", request.user, re.MULTILINE
        ).groups()
        said = re.sub(r"<<\d+: |>>", "", said)
        notes = [
            {"turns": [int(seq)], "speaker": speaker, "text": text, "importance": 5}
            for text in (said, "Quentin pays 4711 ducats.")
        ]
        reply = {"segment": int(segment), "notes": notes, "quotes": [], "filler": [], "tags": []}
        (tmp_path / "replies" / f"{request.hash[:16]}.json").write_text(json.dumps({"segments": [reply]}))
        answered = written_notes.FiledModel(tmp_path)
        written_notes.refined(folded, answered)
        assert [one.hash for one, _ in answered.answered] == [request.hash]
        assert [bool(reasons) for _, reasons in written_notes.problems(folded, answered)] == [False, True]
        assert said.rstrip(".") in " ".join(note.text for note in folded.notes(min_importance=5))
