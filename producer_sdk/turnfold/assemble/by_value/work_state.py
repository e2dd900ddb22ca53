"""State of an agent's work: files as last changed, runs and failures, what searches listed or did not find.

Each entry has brief and longer forms: a budget takes the most important entries in brief, then makes them longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Final, NamedTuple

from turnfold.assemble.by_value.changed_lines import in_force, line_range, told_in_one_line, told_lines
from turnfold.assemble.forms.render_text import STATE_HEADER, one_line
from turnfold.assemble.pricing import Pricing
from turnfold.contract.actions import Action, clipped, is_same_file
from turnfold.contract.lazy_patterns import lazy_pattern

_BRIEF: Final = 80
"""Code points of each half of an action in its brief form."""
_BRIEF_LIST: Final = 3
"""Items listed in a brief form: files changed alike, files of a search, or searches without result."""
_FIRST: Final = 3
"""Entries that get the form they need before others are added."""
_NEWEST_SHARE: Final = 0.6
"""Maximum share of the room for the newest change in more than its brief form."""
_MOST_FORMS: Final = 16
_LONGEST_LOOK: Final = 60
_MOST_EDITS: Final = 3
"""Newest edits of a file that are shown with their lines."""
_WROTE: Final = (160, 320, 800)
"""Code points of a change's lines, in the brief form and in longer ones."""
_TOO_MANY: Final = lazy_pattern(r"(?i)\btoo many\b|\bnarrow (?:down )?your\b|\bmore than \d")
"""A search that matched more than its tool shows."""
_LINES: Final = lazy_pattern(r"\b\d{1,7}[:,-]\d{1,7}\b")
"""Line ranges: an edit of other lines may write the same text."""


class _Entry(NamedTuple):
    """An entry of the state."""

    seq: int
    """The newest turn that the entry covers."""
    forms: tuple[str, ...]
    """The brief form, then longer ones."""
    wanted: int = 0
    """Index of the form that the entry needs; shorter ones are for small budgets."""


class _Changed(NamedTuple):
    """A changed file and its edits."""

    path: str
    edits: tuple[Action, ...]
    """In order, without lines that a later one removed."""

    @property
    def latest(self) -> Action:
        return self.edits[-1]


class WorkState:
    """Entries about an agent's work, made from its actions."""

    def __init__(self, actions: Sequence[Action], whole: frozenset[int], root: str = "") -> None:
        """Turns in `whole` are shown raw and need no entry; paths below `root` are written relative to it."""
        self._actions = [*map(_unbroken, actions)]
        self._root = root
        self._whole = whole
        self._files = _changed_files(self._actions)

    def fitting(self, most_tokens: int, pricing: Pricing) -> tuple[str, ...]:
        """The header and the lines that fit, in turn order; empty when none does."""
        left = most_tokens - pricing.count(STATE_HEADER)
        lines: dict[_Entry, str] = {}
        for place, entry in enumerate(self._by_worth):
            entry_tokens = left if place else int(_NEWEST_SHARE * left)
            wanted = entry.wanted if place else len(entry.forms) - 1
            for form in entry.forms[wanted::-1] if place < _FIRST else entry.forms[:1]:
                if entry not in lines and (price := pricing.count(form)) <= (
                    entry_tokens if form is not entry.forms[0] else left
                ):
                    left -= price
                    lines[entry] = form
        for step in range(1, _MOST_FORMS):
            # The cheapest first, so that more entries get longer forms.
            longer = {entry: entry.forms[min(step, len(entry.forms) - 1)] for entry in lines}
            prices = {entry: pricing.count(form) - pricing.count(lines[entry]) for entry, form in longer.items()}
            for entry in sorted(lines, key=lambda entry: prices[entry]):
                if prices[entry] <= left:
                    left -= prices[entry]
                    lines[entry] = longer[entry]
        fitting_lines = [lines[entry] for entry in sorted(lines, key=lambda entry: entry.seq)]
        return (STATE_HEADER, *fitting_lines) if fitting_lines else ()

    @cached_property
    def _by_worth(self) -> list[_Entry]:
        """Entries by importance, none twice: newest change, run and failure, other changes, searches, older ones."""
        changes, *not_changes = [
            list(kind) for kind in (self._changes(), self._runs(), self._failures(), self._finds())
        ]
        runs, failures, finds = (kind[:1] for kind in not_changes)
        first = (*changes[:1], *runs, *failures, *changes[1:], *finds)
        older = sorted((entry for kind in not_changes for entry in kind[1:]), key=lambda entry: -entry.seq)
        return list(dict.fromkeys((*first, *self._last_look(), *self._opened(), *self._vain(), *older)))

    def _changes(self) -> Iterator[_Entry]:
        """Files as last changed, the newest first; files that were changed alike share an entry."""
        by_words: dict[str, list[_Changed]] = {}
        for file in sorted(self._files, key=lambda file: -file.latest.seq):
            words = "\n".join((_LINES.sub("", file.latest.did), *file.latest.gone))
            by_words.setdefault(words, []).append(file)
        for files in by_words.values():
            yield self._changed_alike(files) if len(files) > 1 else self._changed(files[0])

    def _changed(self, file: _Changed) -> _Entry:
        head = f"changed {self._short(file.path)} (turn {file.latest.seq}"
        telling_edits = [
            edit for edit in file.edits[-_MOST_EDITS:] if edit.seq not in self._whole and _writes_words(edit)
        ]
        earlier = [str(edit.seq) for edit in file.edits[:-1]]
        head += f", before that {', '.join(earlier)})" if earlier else ")"
        forms = [f"{head}\n"]
        for max_chars in _WROTE:
            forms += [
                head + "".join(told_lines(edit, max_chars, file.latest, old=old) for edit in edits) + "\n"
                for edits in (telling_edits[-1:], telling_edits[::-1])
                for old in (False, True)
            ]
        forms = sorted(dict.fromkeys(forms), key=len)
        return _Entry(file.latest.seq, tuple(forms), wanted=min(2, len(forms) - 1))

    def _changed_alike(self, files: Sequence[_Changed]) -> _Entry:
        paths = [file.path for file in files]
        folder = _common_folder(paths)
        start = len(folder) + 1 if folder else 0
        named = [f"{file.path[start:]} ({_where(file.latest)})" for file in files]
        inside = f" in {self._short(folder)}" if folder else ""
        new, both = (told_in_one_line(files[0].latest, _BRIEF, old=old) for old in (False, True))
        lengths = ((1, new), (_BRIEF_LIST, new), (len(named), new), (len(named), both))
        forms = (f"changed alike{inside}: {_listed(named, most_files)}: {edit}\n" for most_files, edit in lengths)
        return _Entry(files[0].latest.seq, tuple(dict.fromkeys(forms)))

    def _runs(self) -> Iterator[_Entry]:
        """Successful runs, newest first, after an entry that nothing was run since the last change, if so."""
        changed = max((file.latest.seq for file in self._files), default=0)
        ran = [action for action in self._actions if not action.looked and not _is_change(action)]
        if changed > max((action.seq for action in ran if not action.changed), default=0):
            yield _Entry(changed, (f"nothing was run after the change of turn {changed}\n",))
        for action in reversed(ran):
            if not action.failed and action.seq not in self._whole:
                yield _entry(action)

    def _failures(self) -> Iterator[_Entry]:
        """Failures, newest first, one entry for each error."""
        by_error: dict[str, list[Action]] = {}
        for action in reversed(self._actions):
            if action.failed and not action.looked:
                by_error.setdefault(action.ended or action.did, []).append(action)
        for newest, *earlier in by_error.values():
            if not {newest.seq, newest.ended_seq} <= self._whole:
                yield _entry(newest, also=[str(action.seq) for action in reversed(earlier)])

    def _finds(self) -> Iterator[_Entry]:
        """Files that a search listed and that were not changed, the newest search first."""
        changed = [file.path for file in self._files]
        for action in reversed(self._actions):
            left = [path for path in action.found if not any(is_same_file(path, other) for other in changed)]
            if left and action.ended_seq not in self._whole:
                head = f"turn {action.seq}: {clipped(action.did, _LONGEST_LOOK)}; listed, not changed: "
                paths = [*map(self._short, left)]
                forms = (f"{head}{_listed(paths, most_paths)}\n" for most_paths in range(1, len(paths) + 1))
                yield _Entry(action.seq, tuple(dict.fromkeys(forms)))

    def _vain(self) -> Iterator[_Entry]:
        """Searches without result in one entry, and those with too many matches in another, newest first."""
        looks = [action for action in reversed(self._actions) if action.is_vain and action.ended_seq not in self._whole]
        for head, is_too_many in (("looked in vain", False), ("too many matches", True)):
            alike = [action for action in looks if bool(_TOO_MANY.search(action.ended)) is is_too_many]
            looked_for = list(dict.fromkeys(clipped(action.did, _LONGEST_LOOK) for action in alike))
            if looked_for:
                forms = (
                    f"{head}: {_listed(looked_for, most_looks)}\n" for most_looks in (_BRIEF_LIST, len(looked_for))
                )
                yield _Entry(alike[0].seq, tuple(dict.fromkeys(forms)))

    def _opened(self) -> Iterator[_Entry]:
        """Files that were opened and not changed, in one entry, the newest first."""
        changed = [file.path for file in self._files]
        seen: dict[str, int] = {}
        last = [
            action.about for action in self._actions[-1:] if action.kind == "open" and action.seq not in self._whole
        ]
        for action in reversed(self._actions):
            is_other = not any(is_same_file(action.about, path) for path in changed) if action.about else False
            is_told = any(is_same_file(action.about, path) for path in (*last, *seen))
            if action.kind == "open" and is_other and not is_told and action.ended_seq not in self._whole:
                seen[action.about] = action.seq
        opened_files = [f"{self._short(path)} (turn {seq})" for path, seq in seen.items()]
        if opened_files:
            forms = (
                f"opened, not changed: {_listed(opened_files, most_files)}\n"
                for most_files in (_BRIEF_LIST, len(opened_files))
            )
            yield _Entry(max(seen.values()), tuple(dict.fromkeys(forms)))

    def _last_look(self) -> Iterator[_Entry]:
        """The last action, if it looked at something: the work goes on from its result."""
        for action in self._actions[-1:]:
            if action.kind in {"look", "open"} and not {action.seq, action.ended_seq or action.seq} <= self._whole:
                yield _entry(action)

    def _short(self, path: str) -> str:
        return path.removeprefix(self._root) if path.startswith(self._root) else path


def _entry(action: Action, *, also: Sequence[str] = ()) -> _Entry:
    times = f" (also turn{'s' * (len(also) > 1)} {', '.join(also)})" if also else ""
    forms = (f"{line.rstrip()}{times}\n" for line in (action.shown(longest=_BRIEF), action.shown()))
    distinct_forms = tuple(dict.fromkeys(forms))
    return _Entry(action.seq, distinct_forms, wanted=len(distinct_forms) - 1 if action.failed else 0)


def _listed(names: Sequence[str], most_names: int) -> str:
    """The first `most_names` names, and the number of the others."""
    more = len(names) - most_names
    return ", ".join(names[:most_names]) + (f" and {more} more" if more > 0 else "")


def _where(edit: Action) -> str:
    """The turn of an edit, and the lines that it names."""
    lines = line_range(edit)
    return f"turn {edit.seq}, {lines}" if lines else f"turn {edit.seq}"


def _writes_words(edit: Action) -> bool:
    """Whether an edit says more than its verb and its file."""
    return bool(edit.wrote) or len(edit.did.split()) > len(("create", "file"))


def _common_folder(paths: Sequence[str]) -> str:
    """The deepest folder that contains all paths; empty without one."""
    folders = [path.split("/")[:-1] for path in paths]
    shared = takewhile(lambda names: len(set(names)) == 1, zip(*folders, strict=False))
    return "/".join(names[0] for names in shared)


def _unbroken(action: Action) -> Action:
    """Put each text of an action on one line: text after a line break could imitate a line of ours."""
    found, wrote, gone = (tuple(map(one_line, lines)) for lines in (action.found, action.wrote, action.gone))
    return action._replace(
        did=one_line(action.did), about=one_line(action.about), ended=one_line(action.ended), found=found, wrote=wrote,
        gone=gone,
    )  # fmt: skip


def _is_change(action: Action) -> bool:
    return action.changed and bool(action.about) and not action.failed


def _changed_files(actions: Sequence[Action]) -> list[_Changed]:
    """The changed files, each by the longest path that names it, with its edits in order."""
    edits: dict[str, list[Action]] = {}
    for action in actions:
        if _is_change(action):
            path = next((path for path in edits if is_same_file(path, action.about)), action.about)
            edits.setdefault(path, []).append(action)
    return [_Changed(_longest(path, done), tuple(in_force(done))) for path, done in edits.items()]


def _longest(path: str, edits: Sequence[Action]) -> str:
    return max((path, *(edit.about for edit in edits)), key=len)
