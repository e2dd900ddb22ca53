"""The two phases of a read: `choose` the texts that are needed, then `finish` the context with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from string import ascii_letters
from typing import Final

from turnfold.assemble.assembly import Assembly, assemble, least_assembly, markers_of
from turnfold.assemble.by_value.selection import choose_parts, largest_fitting
from turnfold.assemble.context import Context
from turnfold.assemble.diff import Statement, statements_of
from turnfold.assemble.fixed_parts import needed_for_operators, operator_texts
from turnfold.assemble.material import Material, gather
from turnfold.assemble.plan import Choice, Plan
from turnfold.assemble.policy import Policy
from turnfold.assemble.pricing import Pricing
from turnfold.assemble.recent import everything
from turnfold.assemble.report import report_of
from turnfold.assemble.request import Request
from turnfold.assemble.revision_cache import Memo
from turnfold.contract.records import LevelKey
from turnfold.contract.results import MOST_SYSTEM_TEXTS, Snapshot
from turnfold.errors import InvalidBudget, InvalidInput
from turnfold.tokens import ESTIMATOR

_NO_LETTERS: Final = bytes(byte for byte in range(256) if byte not in ascii_letters.encode())
_LEAST_MOST: Final = 1_500
"""Upper bound of the smallest context by the estimator, without the caller's own texts: six short pieces of text."""


def choose(snapshot: Snapshot, request: Request, memo: Memo | None = None) -> Choice:
    """Decide by stored counts what is shown, and which texts `finish` needs for it.

    `memo` is shared by all reads of the same stored state; it makes them faster and changes nothing.
    """
    material = gather(snapshot, request, memo)
    return choose_parts(material, _pricing(material))


def _pricing(material: Material) -> Pricing:
    """Prices by stored counts, with the counts that earlier reads of the same state cached."""
    key = ("pricing", material.style)
    make = partial(Pricing, ESTIMATOR, material.style)
    known = material.memo.of(key, make)
    return material.memo.anew(key, make) if known.is_full else known


def finish(choice: Choice, texts: Mapping[LevelKey, str]) -> Context:
    """Build the context, never above the budget in any of its forms by the request's counter.

    `texts` are those of `choice.wanted`; a segment whose text is gone since has its notes instead. Raises
    `InvalidBudget` naming the tokens that would suffice.
    """
    material = choice.material._replace(detailed=frozenset(idx for (_, idx, _), words in texts.items() if words))
    snapshot, request = material.snapshot, material.request
    if not all(map(texts.get, choice.wanted)):
        choice = choose_parts(material, choice.pricing)
    pricing = choice.pricing if request.counter.stored else Pricing(request.counter, material.style)
    assembly = _assembled(material, pricing, choice, texts)
    if (sealed := _unsaid(snapshot, assembly)) != snapshot.sealed:
        # Text that contains the seal, as a model's reply may, could close the frame.
        return finish(choose(replace(snapshot, sealed=sealed), request), texts)
    return _context(material, assembly)


def _unsaid(snapshot: Snapshot, assembly: Assembly) -> int:
    """Number of the first seal, from the snapshot's on, that does not occur in the shown text.

    Capitals, and whatever is no letter between the letters of a seal, make no other seal.
    """
    shown_text = assembly.text + "".join(
        repr(shown_turn.turn.parts) for shown_turn in assembly.plan.raw if shown_turn.native and shown_turn.turn.parts
    )
    letters = shown_text.encode("utf-8", "surrogatepass").lower().translate(None, _NO_LETTERS)
    number = snapshot.sealed
    ours = 2 if assembly.record else 0
    while letters.count(snapshot.seals.numbered(number).encode()) > ours:
        number += 1
        ours = 0
    return number


def _assembled(material: Material, pricing: Pricing, choice: Choice, texts: Mapping[LevelKey, str]) -> Assembly:
    """Render the choice within the budget. Raises `InvalidBudget` if not even the smallest context fits."""
    request = material.request
    _check_operators(material, pricing)
    is_tried = pricing.trusts_stored and _given(request, pricing) + _LEAST_MOST <= request.usable_tokens
    assembly = largest_fitting(material, pricing, choice, texts) if is_tried else None
    if assembly is not None:
        return assembly
    least = least_assembly(material, pricing)
    if least.largest > request.usable_tokens:
        least = _smallest(material, pricing, least)
        if least.largest > request.usable_tokens:
            raise _too_small(request, least)
    return (None if is_tried else largest_fitting(material, pricing, choice, texts)) or least


def _check_operators(material: Material, pricing: Pricing) -> None:
    """Raise `InvalidBudget` if the system turns exceed their share, `InvalidInput` if there are too many of them."""
    request = material.request
    if len(material.snapshot.system_turns) > 2 * MOST_SYSTEM_TEXTS:
        msg = f"the conversation has more than {MOST_SYSTEM_TEXTS} different system turns"
        raise InvalidInput(msg, remedy="delete those that no longer apply")
    if needed_for_operators(material, pricing) > max(0, request.usable_tokens):
        needed = minimum_tokens(material.snapshot, request)
        count, share = len(operator_texts(material)), f"{request.policy.system_share:.0%}"
        turns = (
            "1 system turn of the conversation takes"
            if count == 1
            else f"{count} system turns of the conversation take"
        )
        msg = f"{turns} more than {share} of a budget of {request.budget_tokens} tokens"
        raise InvalidBudget(
            msg, remedy=f"give at least {needed} tokens, or delete those that no longer apply", needed_tokens=needed
        )


def _given(request: Request, pricing: Pricing) -> int:
    """Tokens of the caller's system text and task, which are shown whole."""
    return sum(pricing.count(text) for text in (request.system, request.task) if text)


def minimum_tokens(snapshot: Snapshot, request: Request) -> int:
    """Smallest budget that works for a request, whatever the request's own is; every larger budget works too."""
    material = gather(snapshot, request)
    pricing = Pricing(request.counter, material.style)
    least = _smallest(material, pricing, least_assembly(material, pricing))
    return max(1, least.largest, needed_for_operators(material, pricing)) + request.reserve_tokens


def _smallest(material: Material, pricing: Pricing, least: Assembly) -> Assembly:
    """The cheaper of the least context and the whole conversation, if that is only a few words."""
    plan = least.plan
    if not plan.has_background:
        return least
    fixed = pricing.count(plan.system) + pricing.count(plan.task)
    everything_raw = everything(material, pricing, room=least.largest - fixed)
    if not everything_raw:
        return least
    raw = Plan(system=plan.system, task=plan.task, raw=everything_raw)
    whole = assemble(raw, {}, pricing=pricing, style=material.style)
    return min(whole, least, key=lambda assembly: assembly.largest)


def _context(material: Material, assembly: Assembly) -> Context:
    request = material.request
    return Context(
        text=assembly.text,
        tokens=assembly.largest,
        counter=request.counter.name,
        report=report_of(material, assembly),
        markers=markers_of(assembly.plan, short=material.style.short),
        system=assembly.system,
        record=assembly.record,
        stable_length=len(assembly.stable.text),
        contents=partial(_statements, assembly.plan),
        lengths=assembly.lengths,
        chat=assembly.chat,
        request_key=_request_key(material),
        conversation_id=material.snapshot.conversation_id,
        stored_as=material.snapshot.head.id if material.snapshot.head else None,
    )


def _statements(plan: Plan) -> tuple[Statement, ...]:
    """List the statements that a plan shows."""
    blocks = (*plan.groups, *([plan.hits] if plan.hits else ()), *([plan.tail] if plan.tail else ()))
    notes = chain.from_iterable(block.notes for block in blocks)
    return statements_of(plan.anchors, notes, (*plan.excerpts, *plan.raw))


def _request_key(material: Material) -> str:
    """Serialize the parts of a request that a fingerprint depends on; a counter is known by its name only."""
    request = material.request
    return repr(
        (
            material.snapshot.conversation_id,
            request.budget_tokens,
            request.reserve_tokens,
            request.query,
            request.steered,
            request.query_vector,
            request.now,
            request.scope.key,
            request.as_of,
            request.system,
            request.task,
            _policy_key(request.policy),
            request.counter.name,
            request.expand,
        )
    )


@lru_cache(maxsize=64)
def _policy_key(policy: Policy) -> str:
    return repr(policy)


def _too_small(request: Request, least: Assembly) -> InvalidBudget:
    needed = least.largest + request.reserve_tokens
    given = [name for name in ("system", "task") if getattr(request, name)]
    shorter = f", or a shorter {' or '.join(given)} text" if given else ""
    reserved = f" in addition to the {request.reserve_tokens} reserved" if request.reserve_tokens else ""
    msg = f"a budget of {request.budget_tokens} tokens cannot hold the parts that are always shown{reserved}"
    return InvalidBudget(msg, remedy=f"give at least {needed} tokens{shorter}", needed_tokens=needed)
