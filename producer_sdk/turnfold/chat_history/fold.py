"""Fit a caller's history into its budget: as it was sent, or with a block of memory in place of its beginning."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from turnfold.assemble import Context
from turnfold.chat_history.caller_turns import Item
from turnfold.chat_history.fold_points import FoldPoint, FoldPoints
from turnfold.chat_history.folding import PricedHistory, Tail, TailTurn
from turnfold.chat_history.memory import ConversationMemory
from turnfold.chat_history.recall import RECALL_SHARE, question_of, recalled
from turnfold.errors import InvalidBudget, UnknownConversation, UnknownReference

BLOCK_SHARES: Final = ((0.6, 0.8), (0.4, 1.0))
"""Shares of the budget without the system messages: that of a new context, and the most that its block may take
together with the recent turns as the caller sent them. The first pair that fits is used; the rest of the budget is for
turns until the next block."""

LEAST_RECALL_BUDGET: Final = 700
"""Smallest budget, in tokens, of the context that provides the notes for a question."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A history as it is forwarded."""

    items: list[Item] | None
    """None: as the caller sent them."""
    tokens: int
    folded: str | None = None
    """Numbers of the turns that the block replaces, such as `1-195`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldOptions:
    """How a caller wants its history folded."""

    budget_tokens: int
    tokenizer: str | None = None
    """Name of a tiktoken encoding; None: the estimator."""
    recall: bool = True
    """Whether to add notes about the newest question."""


async def fold(
    memory: ConversationMemory, points: FoldPoints, priced: PricedHistory, tail: Tail, options: FoldOptions
) -> Fold:
    """Fit a caller's history into its budget. Raises `InvalidBudget` if not even the newest turns fit."""
    if tail.is_covered and priced.tokens <= options.budget_tokens:
        return Fold(None, priced.tokens)
    if not tail.turns:
        raise _too_small(options, priced, needed=priced.tokens)
    room = options.budget_tokens - priced.system_tokens
    folder = _Folder(memory, points, await points.find(memory), priced, tail, options, room)
    try:
        return await folder.by_last_block() or await folder.by_new_block() or await folder.by_context()
    except InvalidBudget as error:
        needed = priced.system_tokens + error.needed_tokens
        raise _too_small(options, priced, min(needed, priced.tokens) if tail.is_covered else needed) from error


def _too_small(options: FoldOptions, priced: PricedHistory, needed: int) -> InvalidBudget:
    system = f"the system messages, {priced.system_tokens} tokens, and " if priced.system_tokens else ""
    msg = f"a budget of {options.budget_tokens} tokens cannot hold {system}the least of the conversation"
    return InvalidBudget(msg, remedy=f"give at least {needed} tokens", needed_tokens=needed)


@dataclass(frozen=True, slots=True)
class _Folder:
    """The ways to fold one history, the one that changes least first."""

    memory: ConversationMemory
    points: FoldPoints
    last: FoldPoint | None
    """The fold point of the previous call."""
    priced: PricedHistory
    tail: Tail
    options: FoldOptions
    room: int
    """Tokens of the budget that the caller's system messages leave; may be negative."""

    async def by_last_block(self) -> Fold | None:
        """Append to the block of the last call, byte for byte; None if there is none or it no longer fits."""
        behind = self.tail.from_turn(self.last.first_raw) if self.last else None
        if self.last is None or behind is None:
            return None
        try:
            block = await self.memory.turnfold.resolve(self.last.reference)
        except UnknownReference:
            # The block has expired, or turns that it covers were edited, deleted or cut off meanwhile.
            return None
        return await self._behind(block, behind, self.room)

    async def by_new_block(self) -> Fold | None:
        """Append to a new block, which leaves room for more turns; None if the newest turns are too large for that."""
        for block_share, fold_share in BLOCK_SHARES:
            try:
                block = await self._new_block(int(self.room * block_share))
            except InvalidBudget:
                return None
            first_raw = next(
                (shown_turn.turn.turn_id for shown_turn in block.chat.turns if not shown_turn.hidden), None
            )
            behind = self.tail.from_turn(first_raw) if first_raw else None
            if behind is None or first_raw is None:
                return None
            folded = await self._behind(block, behind, int(self.room * fold_share))
            if folded is not None:
                await self._keep(block, first_raw)
                return folded
        return None

    async def by_context(self) -> Fold:
        """Forward a context in place of the history: the newest turns are too large to be forwarded as sent."""
        context = await self._context(self.room, query=None)
        forwarded = self.priced.replaced(context.messages("openai"))
        first = next((shown_turn.turn.seq for shown_turn in context.chat.turns if not shown_turn.hidden), None)
        return Fold(forwarded.items, forwarded.tokens, _numbers_before(first))

    async def _behind(self, block: Context, behind: tuple[TailTurn, ...], most_tokens: int) -> Fold | None:
        """Combine a block, the turns after it and recalled notes; None if they exceed `most_tokens`."""
        forwarded = self.priced.folded(_block(block), behind)
        question = question_of(self.priced, behind) if self.options.recall and block.record else None
        recall_tokens = int(self.room * RECALL_SHARE) if question else 0
        if forwarded.tokens - self.priced.system_tokens > most_tokens - recall_tokens:
            return None
        if question is not None:
            (turn, words), count = question, self.priced.count
            context = await self._about(turn.turn_id, words)
            message = context and recalled(context, block, most_tokens=recall_tokens, count=count)
            if message and turn.place is not None:
                forwarded = self.priced.with_message(forwarded, turn.place, message)
        return Fold(forwarded.items, forwarded.tokens, _numbers_before(behind[0].seq))

    async def _about(self, question_id: str, words: str) -> Context | None:
        """Return a context about a question, reused while that is the newest; None if the budget is too small."""
        if self.last is not None and self.last.question == question_id and self.last.answers:
            with suppress(UnknownReference):
                return await self.memory.turnfold.resolve(self.last.answers)
        try:
            context = await self._context(max(LEAST_RECALL_BUDGET, int(self.room * 2 * RECALL_SHARE)), query=words)
            reference = await self.memory.turnfold.reference(context)
        except (InvalidBudget, UnknownConversation):
            return None
        if self.last is not None:
            await self.points.keep(self.memory, replace(self.last, question=question_id, answers=reference))
        return context

    async def _context(self, budget_tokens: int, *, query: Any) -> Context:
        return await self.memory.turnfold.context(
            self.memory.conversation, budget_tokens=max(budget_tokens, 1), query=query,
            count_tokens=self.options.tokenizer,
        )  # fmt: skip

    async def _new_block(self, budget_tokens: int) -> Context:
        """Read a context without a query, after a short wait for the fold if turns are not folded yet."""
        block = await self._context(budget_tokens, query=False)
        if not _is_folded(block) and await self.points.wait(self.memory):
            return await self._context(budget_tokens, query=False)
        return block

    async def _keep(self, block: Context, first_raw: str) -> None:
        """Store the block as the fold point, unless it covers turns that are not folded yet."""
        if not _is_folded(block):
            return
        try:
            reference = await self.memory.turnfold.reference(block)
        except UnknownConversation:
            # Forgotten since it was read: this answer is the last to use it.
            return
        await self.points.keep(self.memory, FoldPoint(reference, first_raw))


def _block(context: Context) -> list[dict[str, Any]]:
    """Return a context without its recent turns: appended system messages, then the record."""
    system = [{"role": "system", "content": context.system}] if context.system else []
    return [*system, *([{"role": "user", "content": context.record}] if context.record else [])]


def _is_folded(context: Context) -> bool:
    """Whether a context covers no turns that are not folded yet."""
    return context.coverage is not None and all(span.level != "unfolded" for span in context.coverage.spans)


def _numbers_before(first: int | None) -> str | None:
    return f"1-{first - 1}" if first is not None and first > 1 else None
