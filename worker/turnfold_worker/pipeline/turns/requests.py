"""Requests: the tasks that users give an agent, in their own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from turnfold.assemble.forms.clip_around import Focus, clip_around
from turnfold.contract.fences import fences_of
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.records import Role, StoredTurn, TurnState
from turnfold.contract.requests import Request, kept_requests
from turnfold.contract.speakers import speaker_label
from turnfold.contract.terms import terms
from turnfold_worker.pipeline.language.prose import READ_HEAD, split_prose
from turnfold_worker.pipeline.turns.echoes import output_in
from turnfold_worker.pipeline.turns.manuals import manual_in
from turnfold_worker.pipeline.turns.rules import rules_in

LONGEST_REQUEST: Final = 4_000
"""Maximum code points of a request; a longer one is clipped."""
_FEWEST_WORDS: Final = 4
"""Minimum number of distinct terms of a request; a turn with fewer only lets the work continue."""
_GAP: Final = " […] "
_MANUAL: Final = "[… the tools' manual]"
"""Replaces a harness's manual."""
_UNSEEN: Final = lazy_pattern(r"<!--.{0,2000}?-->|^[ \t]{0,8}[-*] \[[xX]\] [^\n]{0,400}$", re.DOTALL | re.MULTILINE)
"""Markdown comments, which a reader does not see, and ticked-off items."""
_BLANK: Final = lazy_pattern(r"\n\s*\n")


def requests_of(turns: Sequence[StoredTurn]) -> tuple[Request, ...]:
    """Return the first and the newest request of users in the turns."""
    asking = [turn for turn in turns if _asks(turn)]
    return kept_requests([_request(turn) for turn in (*asking[:1], *asking[1:][-1:])])


def _asks(turn: StoredTurn) -> bool:
    is_said = turn.role is Role.USER and turn.state is TurnState.STORED
    return is_said and len(set(terms(turn.content[:READ_HEAD]))) >= _FEWEST_WORDS


def _request(turn: StoredTurn) -> Request:
    content = turn.content[:READ_HEAD]
    if (output := output_in(turn)) is not None:
        content = content[: output.start].rstrip()
    sentences = split_prose(content).sentences
    manual = manual_in(content, sentences, turn.role)
    rules = rules_in(content, sentences, manual)
    if manual is not None:
        start = next(
            (fence.end for fence in fences_of(content) if fence.start < manual.start < fence.end), manual.start
        )
        content = f"{content[:start].rstrip()}\n{_MANUAL}\n{content[manual.end :].lstrip()}".strip()
    content = _BLANK.sub("\n\n", _UNSEEN.sub("", content)).strip()
    if len(content) > LONGEST_REQUEST:
        content = clip_around(content, LONGEST_REQUEST, _GAP, len, focus=Focus(in_order=True))
    return Request(turn.seq, speaker_label(turn), content, rules)
