"""Restore the conversations of an archive as rows, each in one transaction."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final, NoReturn

from sqlalchemy import Connection, Engine, select

from turnfold.contract.keys import Address, checked_id
from turnfold.contract.records import ConversationId, Role, TurnState
from turnfold.contract.tables import ConversationRow, TurnRow, table
from turnfold.contract.tasks import Operation
from turnfold.errors import InvalidInput
from turnfold.wire.archives import SAID, TABLES, VERSION, archived_columns, from_json, schema_mark
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.turns import fold_due
from turnfold_worker.errors import Refused
from turnfold_worker.importing.transcripts import InvalidFile

ROWS_AT_ONCE: Final = 500
"""Rows of one table that are inserted together."""

_conversation = table(ConversationRow)
_turn = table(TurnRow)
_SAID: Final = frozenset(rows.name for rows in SAID)
_KEPT_WHEN_FOLDED_ANEW: Final = (
    "turn_count", "system_turns", "settings", "edit_revision", "created_at", "updated_at",
)  # fmt: skip
"""Columns of a conversation's own row that are kept with `fold_anew`."""


@dataclass(slots=True)
class Restored:
    """The result of restoring an archive."""

    conversations: list[str] = field(default_factory=list)
    """All conversations of the archive, by their new names."""
    turns: int = 0
    stored_before: int = 0
    """Turns of conversations that were already stored with the same turns; nothing was changed."""


Begin = Callable[[Address, int], object]
"""Called before the first row of a conversation with the number of its turns. May raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How to restore an archive."""

    tenant: str
    rename: str | None = None
    """New name of the archive's only conversation; None keeps the names of the archive."""
    fold_anew: bool = False
    """Take only turns and settings, and fold them by the rules of this version."""


class _Lines:
    """The lines of an archive, counted for error messages."""

    def __init__(self, lines: Iterable[bytes], name: str) -> None:
        self._lines = iter(lines)
        self._name = name
        self._number = 0

    def next(self) -> tuple[str, Any, Mapping[str, Any]]:
        """Return the kind of the next line, its values, and the whole line."""
        self._number += 1
        try:
            raw = next(self._lines, None)
        except (EOFError, OSError, zlib.error) as error:
            self.fail(f"the file is damaged or truncated ({type(error).__name__}): export it again")
        if raw is None or not raw.endswith(b"\n"):
            self.fail("the archive is truncated: export it again")
        try:
            given = json.loads(raw)
            kind, values = next(iter(given.items()))
        except (ValueError, RecursionError, AttributeError, StopIteration):
            self.fail("is not a line of an archive: export it again")
        return kind, values, given

    def fail(self, message: str) -> NoReturn:
        raise InvalidFile(f"{self._name}:{self._number}: {message}")


def restore(
    engine: Engine, lines: Iterable[bytes], *, name: str, wanted: Wanted, begin: Begin, turn_read: Callable[[], object]
) -> Restored:
    """Write the conversations of an archive. Those that are complete before a bad line are kept.

    Raises `InvalidFile`, which names the bad line as `name:line`, `StoreAway`, `Stalled`.
    """
    source = _Lines(lines, name)
    _check_header(source, wanted)
    restored = Restored()
    while True:
        kind, values, whole = source.next()
        if kind == "turnfold" and values == "end":
            if whole.get("conversations") != len(restored.conversations):
                source.fail("the archive lacks a conversation: export it again")
            return restored
        if kind != "conversation" or not isinstance(values, dict):
            source.fail("expected the start of a conversation: export it again")
        if wanted.rename is not None and restored.conversations:
            source.fail("the archive contains several conversations: omit --conversation to keep their ids")
        try:
            with transaction(engine) as connection:
                _Conversation(connection, source, values, wanted).restore(restored, begin, turn_read)
        except Refused as error:
            source.fail(f"the conversation ending here cannot be stored: {error}")


def _check_header(source: _Lines, wanted: Wanted) -> None:
    kind, values, whole = source.next()
    if (kind, values) != ("turnfold", "export") or whole.get("version") != VERSION:
        source.fail(
            f"is not an archive of version {VERSION}: export again, or import with the Turnfold version that wrote "
            "it; if it is another compressed file, decompress it first, for example with gunzip"
        )
    if whole.get("schema") != schema_mark() and not wanted.fold_anew:
        source.fail(
            "was written by a Turnfold version with a different schema: --fold-anew imports only turns and "
            "configuration, and folds them with this version"
        )


class _Conversation:
    """A conversation while it is restored."""

    def __init__(self, connection: Connection, source: _Lines, values: dict[str, Any], wanted: Wanted) -> None:
        self._connection = connection
        self._source = source
        self._anew = wanted.fold_anew
        given = values.pop("conversation_id", None)
        try:
            name = checked_id("conversation id", given if wanted.rename is None else wanted.rename)
        except InvalidInput as error:
            source.fail(str(error))
        self._address = Address(wanted.tenant, name)
        self._given_name = given
        self._head = self._decoded("conversation", values)
        self._turns = 0
        self._tokens = 0
        self._hash = blake2b()

    def restore(self, restored: Restored, begin: Begin, turn_read: Callable[[], object]) -> None:
        """Write the conversation's rows; if it is already stored, compare them with the stored rows."""
        begin(self._address, self._head["turn_count"])
        stored = self._connection.scalar(
            select(_conversation.c.id).where(
                _conversation.c.tenant == self._address.tenant,
                _conversation.c.external_id == self._address.conversation,
            )
        )
        made = self._insert_head() if stored is None else None
        for kind, batch in self._batches(turn_read):
            if made is not None:
                self._insert(made, kind, batch)
        if self._turns != self._head["turn_count"]:
            self._source.fail("the conversation ending here lacks turns: export it again")
        if made is not None:
            self._make_fold_due(made)
        elif self._hash.digest() == _stored_hash(self._connection, stored, self._turns):
            restored.stored_before += self._turns
        else:
            msg = (
                f"conversation {self._address.conversation!r} of tenant {self._address.tenant!r} is already stored "
                "with other turns: forget it first, or import this one under another id with --conversation"
            )
            self._source.fail(msg)
        restored.turns += self._turns
        restored.conversations.append(self._address.conversation)

    def _insert_head(self) -> ConversationId:
        values = dict(self._head)
        if self._anew:
            if values.get("expired_seq"):
                msg = (
                    f"retention removed the text of turns up to {values['expired_seq']} of conversation "
                    f"{self._given_name!r}, so they cannot be folded again: import it without --fold-anew, with the "
                    "version that exported it"
                )
                self._source.fail(msg)
            # Revision 0 would mark a conversation in which nothing was ever stored.
            values = {key: values[key] for key in _KEPT_WHEN_FOLDED_ANEW if key in values} | {"revision": 1}
        values |= {"tenant": self._address.tenant, "external_id": self._address.conversation}
        if values.get("closed_seq"):
            # 0 makes retention check the segments once and set the real time.
            values["words_since"] = 0
        made = self._connection.scalar(_conversation.insert().values(values).returning(_conversation.c.id))
        return ConversationId(int(made or 0))

    def _batches(self, turn_read: Callable[[], object]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Yield batches of rows of one table up to the conversation's end, checking its turns and number of lines."""
        held: list[dict[str, Any]] = []
        of, lines = "", 1
        while True:
            kind, values, _ = self._source.next()
            if kind == "end":
                if held:
                    yield of, held
                if values != {"conversation_id": self._given_name, "lines": lines}:
                    self._source.fail("the conversation ending here lacks lines: export it again")
                return
            lines += 1
            if self._anew and kind not in _SAID:
                continue
            if kind not in TABLES or kind == "conversation" or not isinstance(values, dict):
                self._source.fail("is not a line of this version's archives: export it again")
            row = self._decoded(kind, values)
            if kind == "turn":
                self._take_turn(row)
                turn_read()
            if held and (kind != of or len(held) == ROWS_AT_ONCE or held[0].keys() != row.keys()):
                yield of, held
                held = []
            of = kind
            held.append(row)

    def _take_turn(self, row: dict[str, Any]) -> None:
        self._turns += 1
        self._tokens += row["tokens"]
        try:
            Role(row["role"]), TurnState(row["state"])
        except ValueError as error:
            self._source.fail(f"is not a turn: {error}")
        if not isinstance(row["parts"], dict | None):
            self._source.fail("is not a turn: its parts are no object")
        if row["seq"] != self._turns:
            self._source.fail(f"turn {self._turns} is missing here: export it again")
        self._hash.update(_marked(row["seq"], row["turn_id"], row["content_hash"], row["state"]))

    def _decoded(self, kind: str, values: Mapping[str, Any]) -> dict[str, Any]:
        columns = {column.name: column for column in archived_columns(TABLES[kind])}
        if unknown := sorted(values.keys() - columns):
            self._source.fail(f"has a field that this version does not know: {unknown[0][:60]}")
        try:
            return {name: from_json(columns[name], value) for name, value in values.items()}
        except (ValueError, TypeError, OverflowError) as error:
            self._source.fail(f"is not a line of an archive ({error}): export it again")

    def _insert(self, made: ConversationId, kind: str, batch: list[dict[str, Any]]) -> None:
        own: dict[str, Any] = {"conversation": made}
        if "tenant" in TABLES[kind].columns:
            own["tenant"] = self._address.tenant
        if self._anew and kind == "operation":
            # Manual decisions refer to anchors by their numbers, which may have changed.
            batch = [row for row in batch if row["kind"] == str(Operation.CONFIGURE)]
        if batch:
            self._connection.execute(TABLES[kind].insert(), [{**row, **own} for row in batch])

    def _make_fold_due(self, made: ConversationId) -> None:
        """Make a fold due when the conversation has unfolded turns."""
        own = _conversation.c.id == made
        if self._anew:
            values = {"unfolded_tokens": self._tokens}
            self._connection.execute(_conversation.update().where(own).values(values))
        if self._connection.scalar(select(_conversation.c.turn_count - _conversation.c.fold_seq).where(own)):
            fold_due(self._connection, [made])


def _stored_hash(connection: Connection, conversation: int | None, last_seq: int) -> bytes:
    hashed = blake2b()
    rows = connection.execution_options(yield_per=ROWS_AT_ONCE).execute(
        select(_turn.c.seq, _turn.c.turn_id, _turn.c.content_hash, _turn.c.state)
        .where(_turn.c.conversation == conversation, _turn.c.seq <= last_seq)
        .order_by(_turn.c.seq)
    )
    for row in rows:
        hashed.update(_marked(*row))
    return hashed.digest()


def _marked(seq: int, turn_id: str, content_hash: bytes, state: int) -> bytes:
    return json.dumps([seq, turn_id, bytes(content_hash).hex(), state]).encode()
