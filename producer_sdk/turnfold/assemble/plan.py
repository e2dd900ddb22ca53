"""What a selection decided: the parts of a context, before they are words."""

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
    """What an agent was asked to do, as it is shown."""

    seq: int
    marker: str
    text: str
    """With what stands before it."""
    words: str


class Plan(NamedTuple):
    """The parts of a context in the order in which they are shown."""

    system: str = ""
    """The system text as a part: a caller's, and the system turns of the conversation."""
    task: str = ""
    """The task as a part."""
    requests: tuple[ShownRequest, ...] = ()
    """What an agent was asked to do."""
    anchors: tuple[Anchor, ...] = ()
    """In merge order."""
    names: tuple[str, ...] = ()
    """Paths, symbols and names, best first."""
    groups: tuple[Group, ...] = ()
    """All that is folded, in order."""
    settled: int = 0
    """How many of the groups stay as they are while turns are appended, until a fold."""
    joined: tuple[Node, ...] = ()
    """Of the smallest context, in their place: nodes from the first turn on that share one range line."""
    often: tuple[Node, ...] = ()
    """Segments that are looked up often, or hot, shown at level 1 beside the groups."""
    often_header: str = OFTEN_HEADER
    hits: Hits | None = None
    excerpts: tuple[ShownTurn, ...] = ()
    answers: tuple[Answer, ...] = ()
    """What was decided of each segment that the query is about."""
    expanded: tuple[ShownPassage, ...] = ()
    """What the caller asked to be expanded, as far as there is room."""
    not_expanded: tuple[str, ...] = ()
    """Markers for which there is no room."""
    tail: Group | None = None
    """What of the open tail is not raw. It and what follows change with each turn."""
    unfolded: tuple[int, int] | None = None
    """Turns that one line stands for: not folded yet, and not shown raw."""
    unread: int = 0
    """About how many turns of the inbox are not shown. Above 0 the recent turns have no numbers yet."""
    late_names: tuple[str, ...] = ()
    """Paths, symbols and names of turns after what is folded."""
    late_requests: tuple[ShownRequest, ...] = ()
    """What an agent was asked to do after what is folded."""
    actions: tuple[str, ...] = ()
    """A header and lines: what was done last with tools."""
    raw: tuple[ShownTurn, ...] = ()
    """Recent turns up to the last one, in order."""
    allotted: tuple[tuple[str, int], ...] = ()
    """For the report: parts, and the tokens that their share gave them."""

    @property
    def has_background(self) -> bool:
        return self.has_folded or self.has_latest

    @property
    def has_folded(self) -> bool:
        """True when something stands for what is folded."""
        return bool(self.groups or self.joined_turns)

    @property
    def has_latest(self) -> bool:
        """True when something stands for turns that are neither folded nor shown raw."""
        return bool(self.tail or self.unfolded or self.unread)

    @property
    def is_parted(self) -> bool:
        """True when something stands between what stands for these and for those."""
        return bool(self.often or self.hits or self.excerpts or self.expanded)

    @property
    def joined_turns(self) -> tuple[int, int] | None:
        """The turns of the range line: those of its nodes but for what is shown raw, as the newest turn always is."""
        if not self.joined:
            return None
        first, last = self.joined[0].first_seq, self.joined[-1].last_seq
        if self.raw and not self.unread:
            last = min(last, self.raw[0].turn.seq - 1)
        return (first, last) if first <= last else None


@dataclass(frozen=True, slots=True)
class Choice:
    """What `choose` decided, and the texts that `finish` needs for it."""

    wanted: tuple[LevelKey, ...]
    plan: Plan = field(repr=False)
    material: Material = field(repr=False)
    pricing: Pricing = field(repr=False, compare=False)
    """Remembers what was counted by stored counts."""
