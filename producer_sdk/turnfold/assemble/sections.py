"""Sections of a system text, selected by flags and priority within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from turnfold.assemble.forms.render_text import closed_line
from turnfold.errors import InvalidBudget, InvalidInput
from turnfold.tokens import ESTIMATOR, Counter


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a system text. Raises `InvalidInput` for invalid fields."""

    name: str
    """Unique among the sections of a text."""
    text: str
    when: frozenset[str] = frozenset()
    """Flags that must all be set."""
    unless: frozenset[str] = frozenset()
    """Flags of which none may be set."""
    priority: int = 0
    """Sections of higher priority are fitted first."""
    required: bool = False
    """Shown whenever its flags allow, at any cost."""
    short: str | None = None
    """Shown instead of `text` where that does not fit."""

    def __post_init__(self) -> None:
        for field in ("name", "text"):
            text = getattr(self, field)
            if not isinstance(text, str) or not text.strip():
                msg = f"{field} of a section must be non-empty text, not {text!r}"
                raise InvalidInput(msg)
        short: object = self.short
        if short is not None and not (isinstance(short, str) and short.strip()):
            msg = f"short of section {self.name!r} must be non-empty text or None"
            raise InvalidInput(msg)
        if isinstance(self.priority, bool) or not isinstance(self.priority, int):
            msg = f"priority of section {self.name!r} must be a whole number, not {self.priority!r}"
            raise InvalidInput(msg)
        if not isinstance(self.required, bool):
            msg = f"required of section {self.name!r} must be True or False, not {self.required!r}"  # type: ignore[unreachable]  # not every caller has types
            raise InvalidInput(msg)
        for field in ("when", "unless"):
            object.__setattr__(self, field, flags_of(getattr(self, field), what=f"{field} of section {self.name!r}"))

    def applies(self, flags: frozenset[str]) -> bool:
        """Whether the flags allow the section."""
        return self.when <= flags and not self.unless & flags


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemText:
    """A system text joined from sections."""

    text: str
    tokens: int
    sections: tuple[str, ...]
    """Names of the sections that are shown, in order."""
    shortened: tuple[str, ...] = ()
    """Names of the sections whose short text is shown."""
    left_out: tuple[str, ...] = ()
    """Names of the sections that the flags allow and that did not fit."""


def system_text(
    sections: Iterable[Section],
    *,
    flags: Iterable[str] = (),
    budget_tokens: int | None = None,
    optional_tokens: int | None = None,
    counter: Counter = ESTIMATOR,
) -> SystemText:
    """Join the sections that the flags allow, in the order given, within `budget_tokens`.

    Required sections are fitted first, then the others by priority and, among equals, in their order, within
    `optional_tokens` of the whole text; a section that does not fit is replaced by its short text or skipped. The text
    always has the sections in the order given: put those that depend on flags at the end, and a provider's prompt cache
    keeps the rest. Raises `InvalidBudget` when the required ones cost more, `InvalidInput` for duplicate names.
    """
    listed = checked_sections(sections)
    held = flags_of(flags, what="flags")
    allowed = [section for section in listed if section.applies(held)]
    chosen = _required(allowed, budget_tokens, counter)
    limits = [limit for limit in (budget_tokens, optional_tokens) if limit is not None]
    most_tokens = min(limits) if limits else None
    for section in sorted(
        (section_given for section_given in allowed if not section_given.required),
        key=lambda section_given: -section_given.priority,
    ):
        for words in (section.text, section.short):
            if words is None:
                continue
            tried = {**chosen, section.name: words}
            if most_tokens is None or counter.count(_joined(allowed, tried)) <= most_tokens:
                chosen = tried
                break
    text = _joined(allowed, chosen)
    return SystemText(
        text=text,
        tokens=_tokens(text, counter),
        sections=tuple(section.name for section in allowed if section.name in chosen),
        shortened=tuple(
            section_given.name
            for section_given in allowed
            if section_given.name in chosen and chosen[section_given.name] != section_given.text
        ),
        left_out=tuple(section.name for section in allowed if section.name not in chosen),
    )


def checked_sections(sections: object) -> tuple[Section, ...]:
    """Return the sections as a tuple. Raises `InvalidInput` for other values and duplicate names."""
    listed = tuple(sections) if isinstance(sections, Iterable) and not isinstance(sections, str) else (sections,)
    names: set[str] = set()
    for section in listed:
        if not isinstance(section, Section):
            msg = f"system must be text or turnfold.Section values, not {type(section).__name__}"
            raise InvalidInput(msg)
        if section.name in names:
            msg = f"two sections have the name {section.name!r}"
            raise InvalidInput(msg, remedy="give each section a unique name")
        names.add(section.name)
    return listed


def flags_of(flags: object, *, what: str) -> frozenset[str]:
    """Convert flags to a set; of a mapping, its true keys. A single text is one flag. Raises `InvalidInput`."""
    if isinstance(flags, str):
        flags = (flags,)
    if isinstance(flags, Iterable):
        value_of = flags.get if hasattr(flags, "get") else lambda _: True
        names = [flag for flag in flags if value_of(flag)]
        if all(isinstance(flag, str) for flag in names):
            return frozenset(names)
    msg = f"{what} must be flag names such as {{'has_tools'}}, or a dict of them, not {flags!r}"
    raise InvalidInput(msg)


def _required(allowed: Sequence[Section], budget_tokens: int | None, counter: Counter) -> dict[str, str]:
    """Choose the texts of required sections; while they do not fit, short ones by ascending priority."""
    chosen = {section.name: section.text for section in allowed if section.required}
    shorter = [
        candidate
        for candidate in sorted(allowed, key=lambda candidate: candidate.priority)
        if candidate.required and candidate.short
    ]
    while (needed := _tokens(_joined(allowed, chosen), counter)) > (needed if budget_tokens is None else budget_tokens):
        if not shorter:
            break
        section = shorter.pop(0)
        chosen[section.name] = section.short or section.text
    else:
        return chosen
    msg = f"a budget of {budget_tokens} tokens cannot hold the required sections {', '.join(map(repr, chosen))}"
    raise InvalidBudget(
        msg, remedy=f"give at least {needed} tokens, or give some of the sections a `short` text", needed_tokens=needed
    )


def _joined(sections: Sequence[Section], chosen: dict[str, str]) -> str:
    return "\n".join(closed_line(chosen[section.name].strip("\n")) for section in sections if section.name in chosen)


def _tokens(text: str, counter: Counter) -> int:
    return counter.count(text) if text else 0
