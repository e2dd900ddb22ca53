"""`Plan`: the parts selected for a context, before rendering."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from turnfold.assemble.detail import Answer
from turnfold.assemble.expanded import ShownPassage
from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.groups import Group, Hits
from turnfold.assemble.forms.render_text import OFTEN_HEADER
from turnfold.assemble.material import Material
from turnfold.assemble.pricing import Pricing
from turnfold.contract.records import Anchor, LevelKey, Node


class ShownRequest(NamedTuple):
    """A request to an agent, as it is shown."""

    seq: int
    marker: str
    text: str
    """The rendered line: opening, rules and words."""
    words: str


class Plan(NamedTuple):
    """The parts of a context in the order in which they are shown."""

    system: str = ""
    """The rendered system text: the caller's, then the system turns of the conversation."""
    task: str = ""
    """The rendered task."""
    requests: tuple[ShownRequest, ...] = ()
    """Requests to an agent in folded turns."""
    anchors: tuple[Anchor, ...] = ()
    """In merge order."""
    names: tuple[str, ...] = ()
    """Paths, symbols and names, best first."""
    groups: tuple[Group, ...] = ()
    """Groups of notes for all folded turns, in order."""
    settled: int = 0
    """Number of leading groups that stay the same while turns are appended, until a fold."""
    joined: tuple[Node, ...] = ()
    """In the smallest context, instead of groups: nodes from the first turn on that share one range line."""
    often: tuple[Node, ...] = ()
    """Segments shown at level 1 besides the groups: frequently expanded or hot ones."""
    often_header: str = OFTEN_HEADER
    hits: Hits | None = None
    excerpts: tuple[ShownTurn, ...] = ()
    answers: tuple[Answer, ...] = ()
    """Decision for each segment that the query is about."""
    expanded: tuple[ShownPassage, ...] = ()
    """Passages that the caller asked to expand, within their room."""
    not_expanded: tuple[str, ...] = ()
    """Markers that did not fit."""
    tail: Group | None = None
    """Notes for the turns of the open tail that are not raw. This part and the ones after it change with each turn."""
    unfolded: tuple[int, int] | None = None
    """First and last turn under one line: not folded yet, and not shown raw."""
    unread: int = 0
    """Approximate number of inbox turns that are not shown. Above 0, the recent turns have no numbers yet."""
    late_names: tuple[str, ...] = ()
    """Paths, symbols and names of turns after the folded ones."""
    late_requests: tuple[ShownRequest, ...] = ()
    """Requests to an agent after the folded turns."""
    actions: tuple[str, ...] = ()
    """State of an agent's work: a header and lines."""
    raw: tuple[ShownTurn, ...] = ()
    """Recent turns up to the last one, in order."""
    allotted: tuple[tuple[str, int], ...] = ()
    """For the report: parts, and the tokens allotted to each."""

    @property
    def has_background(self) -> bool:
        return self.has_folded or self.has_latest

    @property
    def has_folded(self) -> bool:
        """True when a part covers folded turns."""
        return bool(self.groups or self.joined_turns)

    @property
    def has_latest(self) -> bool:
        """True when a part covers turns that are neither folded nor shown raw."""
        return bool(self.tail or self.unfolded or self.unread)

    @property
    def is_parted(self) -> bool:
        """True when other parts separate the notes of folded turns from those of later turns."""
        return bool(self.often or self.hits or self.excerpts or self.expanded)

    @property
    def joined_turns(self) -> tuple[int, int] | None:
        """First and last turn of the range line: those of its nodes, without turns that are shown raw."""
        if not self.joined:
            return None
        first, last = self.joined[0].first_seq, self.joined[-1].last_seq
        if self.raw and not self.unread:
            last = min(last, self.raw[0].turn.seq - 1)
        return (first, last) if first <= last else None


@dataclass(frozen=True, slots=True)
class Choice:
    """The plan that `choose` decided on, and the texts that `finish` needs for it."""

    wanted: tuple[LevelKey, ...]
    plan: Plan = field(repr=False)
    material: Material = field(repr=False)
    pricing: Pricing = field(repr=False, compare=False)
    """Prices by stored counts, cached."""
