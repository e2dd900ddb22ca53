"""What recent turns cost while they are put before each other."""

from __future__ import annotations

from collections.abc import Sequence

from turnfold.assemble.forms.chat import ShownTurn
from turnfold.assemble.forms.render_text import day_line_after
from turnfold.assemble.pricing import Pricing


class Block:
    """What recent turns cost, as `Pricing.raw` says it, while turns are put before them one by one."""

    def __init__(self, pricing: Pricing, turns: Sequence[ShownTurn]) -> None:
        self._pricing = pricing
        self._text = self._openai = self._anthropic = 0
        self._day = ""
        """The line of the first turn that has one."""
        self._around = [pricing.around(begins_well=begins_well) for begins_well in (False, True)]
        self.tokens = pricing.raw(())
        """At most what they cost in their dearest form, with what stands around them."""
        for turn in reversed(turns):
            self.put_before(turn)

    def put_before(self, shown: ShownTurn) -> None:
        """Count one more turn, before all others."""
        text, openai, anthropic, _, day, begins_well = self._pricing.turn(shown)
        if day and day != self._day:
            count = self._pricing.count
            # That of the turn behind it says how much later it is.
            text += count(day) + count(day_line_after(self._day, day)) - count(self._day)
            self._day = day
        self._text += text
        self._openai += openai
        self._anthropic += anthropic
        around = self._around[begins_well]
        self.tokens = max(self._text + around[0], self._openai + around[1], self._anthropic + around[2])
