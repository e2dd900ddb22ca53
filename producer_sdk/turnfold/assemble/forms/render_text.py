"""Render lines of the text form. Only lines written here begin with `[` or a speaker's name at column 0.

Turns cannot imitate such lines: lines of a turn that begin like one, or look like one, are indented by two spaces.
Each part ends in a newline and begins with `[` or a letter, so that token counts of parts add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.markers import ARROW, node_marker, turns_marker
from turnfold.contract.lazy_patterns import lazy_pattern
from turnfold.contract.lookalike_letters import COLONS
from turnfold.contract.lookalikes import (
    MARKS_FOR_LETTERS,
    RESERVED,
    is_bracket,
    passes_for,
    seen_beginning,
    skeleton,
)
from turnfold.contract.periods import MONTHS, day_label
from turnfold.contract.records import Anchor, AnchorType, Node, StoredTurn, TurnState
from turnfold.contract.speakers import speaker_label
from turnfold.dates.passed import day_of, names_near_day

_MOST_REPLACED: Final = 80
"""Code points quoted of the statement that a correction replaces."""
_NO_BRACKETS: Final = str.maketrans({"[": "(", "]": ")", '"': "'", "→": ">"})
ANCHORS_HEADER: Final = "[standing facts, word for word]\n"
BACKGROUND_HEADER: Final = "[background: earlier turns]\n"
STATE_HEADER: Final = "[state of the work: changed files, runs, failures, by turn]\n"
NAMES: Final = "names"
CONTINUED_HEADER: Final = "[background, continued]\n"
HITS_HEADER: Final = "[notes for the question]\n"
NO_MATCH_HEADER: Final = "[no turn matches the question; notes near it]\n"
NO_MATCH_LINE: Final = "[no turn matches the question]\n"
"""Line when no turn matches and there is no note to show."""
MORE_HEADER: Final = "[more notes]\n"
"""Header of notes for the newest user turn, without a query."""
EXCERPTS_HEADER: Final = "[excerpts, word for word]\n"
EXPANDED_HEADER: Final = "[expanded: what was said]\n"
OFTEN_HEADER: Final = "[looked up often, in detail]\n"
IMPORTANT_HEADER: Final = "[important, in detail]\n"
RECENT_HEADER: Final = "[recent turns]\n"
INDENT: Final = "  "

_LONGEST_OPENING: Final = 64
"""Code points at the start of a line in which its colon is searched for."""
_COLON: Final = lazy_pattern(f"[{COLONS}]")
_EMPHASIS: Final = "*_`#>~"
"""Markdown marks, which a reader may not see."""
_HOW: Final = ("word for word", "detailed", "brief", "tags")
_TAKES_BACK: Final = lazy_pattern(r"(?i)(?<!\w)(?:not|instead of|rather than) (?=\S)")
_DENIES: Final = lazy_pattern(r"(?i)(?<!\w)(?:I|we)(?: have|['\u2019]ve| do)?(?: never| not|n['\u2019]t)(?!\w)")
"""Facts in which the speaker denies an earlier statement; both are kept."""
_CHANGED_TO: Final = lazy_pattern(
    r"(?<!\w)(?:to|reached|now) ([^\w\s]?\d(?:\S{0,20}\w)?%?(?: "
    r"(?!(?:by|after|in|on|with|and|for|since|to|at|from|so|but|as|per|this|which)(?!\w))\w{1,20})?)"
)
_LEADS_ON: Final = lazy_pattern(
    r"(?: (?:a|an|the|and|or|of|to|in|on|at|by|for|from|with|as|that|which|is|are|was)|,){1,6}$"
)
"""Trailing words that need a continuation, dropped where a text is cut."""
_WORDS: Final = lazy_pattern(r"[^\W\d_]{4,}")
_VALUES: Final = lazy_pattern(rf"(?<!\S)[^\s\d]{{0,20}}\d\S*(?: (?:{'|'.join(MONTHS)}|[ap]m|percent|%)(?!\w)\S*)?")
_TIMELESS: Final = frozenset(
    {AnchorType.CONSTRAINT, AnchorType.INSTRUCTION, AnchorType.PREFERENCE, AnchorType.CRITICAL_FACT}
)
"""Anchor types that hold whenever they were stated; the turn number alone says which is newer."""
_ABSENT: Final = {TurnState.DELETED: "[deleted]", TurnState.EXPIRED: "[expired]", TurnState.PARKED: "[unreadable]"}


Openings = frozenset[str]
"""Skeletons of the labels with which our lines may begin."""


def line_openings(labels: Iterable[str]) -> Openings:
    """Openings of our lines, which lines inside turns must not imitate. `labels` are those of speakers."""
    return RESERVED.union(map(skeleton, set(labels)))


def guarded(text: str, openings: Openings) -> str:
    """Indent every line after the first that looks like the beginning of one of ours."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2 or not any(imitates(line, openings) for line in lines[1:]):
        return text
    return lines[0] + "".join(INDENT + line if imitates(line, openings) else line for line in lines[1:])


def imitates(line: str, openings: Openings) -> bool:
    """Whether a line looks like the beginning of one of our lines."""
    begins = seen_beginning(line, _LONGEST_OPENING)
    if not begins:
        return bool(line.strip())
    if begins[0] in _EMPHASIS:
        bare = line.lstrip(f"{_EMPHASIS} \t\r\n")
        begins = seen_beginning(bare, _LONGEST_OPENING)
        if not begins or begins[0] in _EMPHASIS:
            # Only marks, between which text may be hidden.
            return bool(bare)
    if is_bracket(begins[0]):
        return True
    colon = _COLON.search(begins)
    # A leading mark tells the line from ours: JSON, lists, text that is indented already.
    if begins[0].isascii() and not begins[0].isalnum() and begins[0] not in MARKS_FOR_LETTERS:
        return False
    # After an opening bracket the colon may be further on.
    label = begins[: colon.start()] if colon else begins.partition("(")[0] if _COLON.search(line) else ""
    return passes_for(label, openings)


def shown_words(shown_turn: ShownTurn) -> str:
    """Shown text of a turn; a label where nothing is left of it."""
    return shown_turn.content or _ABSENT.get(shown_turn.turn.state, "")


def turn_opening(turn: StoredTurn) -> str:
    return f"{speaker_label(turn)}: "


def excerpt_opening(turn: StoredTurn) -> str:
    day = f", {day_label(turn.created_at)}" if turn.created_at else ""
    return f"[turn {turn.seq}{day}, {speaker_label(turn)}] "


def request_opening(seq: int, speaker: str, marker: str) -> str:
    """Opening of a request to an agent."""
    return f"[task, turn {seq} {ARROW}{marker}] {speaker}: "


def anchor_opening(anchor: Anchor) -> str:
    """Opening of an anchor's line: its type, turn, day if relevant, replaced statement, doubt, and speaker."""
    replaced = _replaced(anchor)
    instead = f', {_how_related(anchor)} "{replaced}"' if replaced else ""
    is_dated = anchor.day and (anchor.type not in _TIMELESS or names_near_day(anchor.text))
    day = f", {anchor.day}" if is_dated else ""
    speaker = f"{anchor.speaker}: " if anchor.speaker else ""
    seq = anchor.may_have_changed_seq
    doubt = "" if seq is None else f", may have changed: turn {seq}"
    return f"[{anchor.type.replace('_', ' ')} {anchor.turn_seq}{day}{instead}{doubt}] {speaker}"


def _how_related(anchor: Anchor) -> str:
    """Relation of an anchor to another statement: of two that contradict each other the later one counts."""
    later = anchor.replaced_seq is not None and anchor.replaced_seq > anchor.turn_seq
    if not (later or _is_opposed(anchor) or _is_contested(anchor)):
        return "replaces"
    if anchor.replaced_seq is None:
        return "contradicts"
    return f"but later in turn {anchor.replaced_seq}" if later else f"contradicts turn {anchor.replaced_seq}"


def _replaced(anchor: Anchor) -> str:
    """Statement that an anchor replaces; of a fact only the earlier value, or the denied part.

    Where the anchor itself denies the earlier value, that value is not repeated.
    """
    replaced = anchor.replaced or ""
    if _is_contested(anchor):
        return _clipped(replaced)
    if anchor.type is AnchorType.CRITICAL_FACT:
        return _clipped(_against(anchor.text, replaced) if _is_opposed(anchor) else _changed_to(replaced))
    if not replaced or not _TAKES_BACK.search(anchor.text):
        return _clipped(replaced)
    spoken = anchor.text.lower()
    named = [word for word in _WORDS.findall(replaced.lower()) if word not in spoken]
    return _clipped(_VALUES.sub("…", replaced)) if named else ""


def _is_contested(anchor: Anchor) -> bool:
    """Whether the anchor's own turn gives two values of one thing and does not say which holds: both are kept."""
    same_turn = anchor.replaced_seq == anchor.turn_seq and anchor.type is not AnchorType.CORRECTION
    return same_turn and not (_is_opposed(anchor) or _TAKES_BACK.search(anchor.text))


def _is_opposed(anchor: Anchor) -> bool:
    """Whether an anchor denies what its speaker stated elsewhere; both hold."""
    return anchor.type is AnchorType.CRITICAL_FACT and _DENIES.search(anchor.text) is not None


def _against(denial: str, statement: str) -> str:
    """A statement from the clause on that a denial contradicts."""
    denied = set(_WORDS.findall(denial.lower()))
    shared = next((match.start() for match in _WORDS.finditer(statement.lower()) if match.group() in denied), 0)
    begins = statement.rfind(" I", 0, shared)
    return f"… {statement[begins + 1 :]}" if begins >= 0 else statement


def _changed_to(statement: str) -> str:
    """The last value that a statement says something changed to; the whole statement if none."""
    values = _CHANGED_TO.findall(statement)
    return values[-1] if values else statement


def _clipped(text: str) -> str:
    """Shorten a replaced statement to a recognizable head, without marks that could end the bracket."""
    words = one_line(text).translate(_NO_BRACKETS)
    if len(words) <= _MOST_REPLACED:
        return words
    return f"{_LEADS_ON.sub('', words[:_MOST_REPLACED].rsplit(' ', 1)[0])} …"


def anchor_words(anchor: Anchor) -> str:
    """An anchor's text on one line, without the punctuation at which its clause was cut."""
    return one_line(anchor.text).rstrip(" ,;:")


def one_line(text: str) -> str:
    """Replace the line breaks of `text` by spaces."""
    lines = text.splitlines()
    return text if len(lines) == 1 and lines[0] == text else " ".join(line.strip() for line in lines)


def closed_line(text: str) -> str:
    """End `text` with a newline."""
    return text if text.endswith("\n") else f"{text}\n"


def task_part(task: str) -> str:
    return closed_line(f"Task: {task}")


def node_opening(node: Node, *, level: int, short: bool) -> str:
    """Opening of a node's text: its turns, its days, and the marker of the next level of detail."""
    turns = turns_named(node.first_seq, node.last_seq) + ("" if short else _days(node))
    return f"[{turns} {ARROW}{node_marker(node, level=level - 1, short=short)}] "


def group_line(marker: str) -> str:
    """Line above the notes of neighbouring turns: their marker."""
    return f"[{ARROW}{marker}]\n"


def passage_opening(first_seq: int, last_seq: int, *, level: int) -> str:
    """Opening of the text of an expanded marker."""
    return f"[{turns_named(first_seq, last_seq)}, {_HOW[level]}]"


def goes_on_line(marker: str) -> str:
    """Line with the marker of the rest, where an expanded text was cut."""
    return f"[goes on {ARROW}{marker}]\n"


def names_line(names: Sequence[str]) -> str:
    """Paths, symbols and names on one line."""
    return f"[{NAMES}] {', '.join(names)}\n"


def range_line(first_seq: int, last_seq: int, *, marker: str) -> str:
    """Line for a range of neighbouring nodes."""
    return f"[{turns_named(first_seq, last_seq)} {ARROW}{marker}]\n"


def unfolded_line(first_seq: int, last_seq: int) -> str:
    """Line for turns that are stored, not folded yet, and too many to show."""
    return f"[{turns_named(first_seq, last_seq)}, not folded yet {ARROW}{turns_marker(first_seq, last_seq)}]\n"


def unread_line(count: int) -> str:
    """Line for inbox turns that the read did not fetch."""
    return f"[about {count} turns are still being stored]\n"


def clip_gap(marker: str) -> str:
    """Mark for the omitted text of a clipped turn; without a marker while the turn has no number."""
    return f" [… {ARROW}{marker}] " if marker else " […] "


def with_gap(turn: StoredTurn, gap: str) -> str:
    """Text that was read of a turn, with `gap` where the read left words out: in the middle, or parts at the end."""
    kept = len(turn.content) if turn.kept is None else turn.kept
    return (turn.content[:kept].rstrip() + gap + turn.content[kept:].lstrip()).strip()


def day_line(moment: datetime) -> str:
    """Line before the first turn of a day."""
    return f"[{day_label(moment)}]\n"


@lru_cache(maxsize=1_024)
def day_line_after(line: str, text_before: str) -> str:
    r"""Day line after an earlier one, with the number of days between them if they are not consecutive.

    >>> day_line_after("[9 May 2026]\n", "[2 May 2026]\n")
    '[9 May 2026, 7 days later]\n'
    """
    day, earlier = day_of(line[1:-2]), day_of(text_before[1:-2])
    apart = 0 if day is None or earlier is None else (day - earlier).days
    return f"{line[:-2]}, {apart} days later]\n" if apart > 1 else line


def day_lines(turns: Iterable[ShownTurn]) -> list[str]:
    """Day line of each turn that begins a new day, else an empty text."""
    lines = []
    day = ""
    for turn in turns:
        today = day_line(turn.turn.created_at) if turn.turn.created_at and not turn.hidden else day
        lines.append("" if today == day else day_line_after(today, day))
        day = today
    return lines


def turns_named(first_seq: int, last_seq: int) -> str:
    """A range of turns as contexts and tools name it: `turns 3-9`."""
    return f"turn {first_seq}" if first_seq == last_seq else f"turns {first_seq}-{last_seq}"


def _days(node: Node) -> str:
    if node.started_at is None:
        return ""
    started = day_label(node.started_at)
    ended = day_label(node.ended_at) if node.ended_at else started
    return f", {started}" if ended == started else f", {started} to {ended}"
