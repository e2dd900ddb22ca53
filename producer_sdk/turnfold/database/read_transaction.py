"""Reads within one consistent snapshot of the database, returning the contract's records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date, datetime
from typing import Final

from sqlalchemy import Connection, select

from turnfold.assemble.pages import TurnPiece
from turnfold.contract.attention import Selection, Usage, Work
from turnfold.contract.dropped_postings import MARK
from turnfold.contract.keys import Address
from turnfold.contract.passages import bundle_of, passages_among
from turnfold.contract.posting_pieces import WantedPieces, opened
from turnfold.contract.records import FAN_OUT, Anchor, ConversationId, LevelKey, Node, StoredTurn, TurnState
from turnfold.contract.results import Head, ListedConversation, Relation, SegmentSigns
from turnfold.contract.schema_range import readable
from turnfold.contract.seals import Seals
from turnfold.contract.segments import Segment
from turnfold.contract.shards import Layout
from turnfold.contract.tables import LevelRow, table
from turnfold.contract.tail_anchors import TailAnchors
from turnfold.contract.turn_limits import MOST_CAP, TURNS_A_READ, Shortening
from turnfold.contract.turn_parts import PartEntry, unpack_parts
from turnfold.database import query_statements, statements
from turnfold.database.anchor_read import SAID_ANCHORS, AnchorRead, said_anchors
from turnfold.database.conversation_cache import Found, Wanted
from turnfold.database.lists import like_pattern
from turnfold.database.note_read import NoteRead
from turnfold.database.past_read import PastAnchors, past_anchors
from turnfold.database.progress_read import ProgressRead
from turnfold.database.rows import head_record, node_record, piece_record, shortened_record, turn_record
from turnfold.database.schema_check import checked_meta, meta_rows
from turnfold.database.segment_read import segment_relations, segment_signs, segments_after, top_relations
from turnfold.database.value_read import ValueReader
from turnfold.database.work_read import usage_since, work_needing_attention
from turnfold.search.relevance import SEGMENT_HITS
from turnfold.search.turn_scores import PostingRow

CHARACTERS_A_PAGE: Final = 16 * 1_048_576
"""Code points of turns after which a page of them ends: a thousand of the largest turns would be gigabytes."""
_TURNS_AT_ONCE: Final = 25
"""Turns fetched per batch."""


def checked_secret(connection: Connection) -> str:
    """Return the secret that seals are derived from. Raises `SchemaMismatch` for an incompatible schema."""
    return checked_meta(connection, readable()).get("seal_secret", "")


def stored_layout(connection: Connection) -> Layout:
    """Return the layout of the shards, from `meta`."""
    return Layout.from_meta(meta_rows(connection))


class ReadTransaction:
    """One consistent snapshot of the database."""

    def __init__(self, connection: Connection, values: ValueReader | None = None, *, secret: str = "") -> None:
        """`secret` is the result of `checked_secret`."""
        self._connection = connection
        self._secret = secret
        self._values = values or ValueReader(connection.engine)
        self.missed: set[ConversationId] = set()
        """Conversations whose postings or levels were needed but dropped, and not rebuilt yet."""

    @property
    def connection(self) -> Connection:
        """The connection, for further statements within the snapshot."""
        return self._connection

    def seals(self, address: Address) -> Seals:
        """Return the seals for the frame around quoted conversation text."""
        return Seals(self._secret, address)

    def head(self, address: Address) -> Head | None:
        """Return the conversation's row; None if nothing is stored."""
        row = self._connection.execute(
            statements.HEAD, {"tenant": address.tenant, "external_id": address.conversation}
        ).first()
        return None if row is None else head_record(row)

    def by_value(self, wanted: Wanted) -> Found | None:
        """Like `Reader.by_value`, within this snapshot."""
        found = self._values.read_within(self._connection.connection.driver_connection, wanted)
        if found is not None and found.answers.has_lost_postings:
            self.missed.add(found.head.id)
        return found

    def drop(self, address: Address) -> None:
        """Like `Reader.drop`."""
        self._values.known.drop(address)

    def turns_up_to(self, head: Head, last_seq: int, *, cap: int, waiting: int) -> tuple[StoredTurn, ...]:
        """Return at most 200 turns up to a number, oldest first, truncated as if `waiting` more turns followed."""
        short = Shortening.to(cap, last_seq=last_seq + waiting)
        from_seq = last_seq - TURNS_A_READ + 1
        edges = {"conversation": head.id, "from_seq": from_seq, "last_seq": last_seq}
        rows = self._connection.execute(statements.TURNS_UP_TO, {**edges, **short.numbers}).all()
        return tuple(shortened_record(row, short) for row in reversed(rows))

    def turns_after(self, head: Head, after: int, *, most: int) -> list[StoredTurn]:
        """Return up to `most` untruncated turns after a number, oldest first; fewer if above `CHARACTERS_A_PAGE`."""
        wanted = {"conversation": head.id, "after_seq": after, "most": most}
        turns, characters = [], 0
        with self._connection.execute(
            statements.TURNS_AFTER, wanted, execution_options={"yield_per": _TURNS_AT_ONCE}
        ) as rows:
            for row in rows:
                turns.append(turn_record(row))
                characters += len(row.content) + (len(str(row.parts)) if row.parts else 0)
                if characters > CHARACTERS_A_PAGE:
                    break
        return turns

    def conversations_after(
        self, tenant: str, after: str, *, most: int, containing: str = ""
    ) -> list[ListedConversation]:
        """Return a page of a tenant's conversations by name, after a name; `containing` filters by name or title."""
        wanted = {"tenant": tenant, "after": after, "most": most}
        statement = statements.CONVERSATIONS_AFTER
        if containing:
            statement, wanted["pattern"] = statements.CONVERSATIONS_CONTAINING, like_pattern(containing)
        return [
            ListedConversation(
                conversation_id=row.external_id, turns=row.turn_count, folded=row.fold_seq, closed=row.closed_seq,
                anchors=row.anchor_count, changed_at=row.updated_at, title=row.title,
            )
            for row in self._connection.execute(statement, wanted)
        ]  # fmt: skip

    def state_of(self, head: Head, seq: int) -> TurnState | None:
        """Return the state of a turn; None if there is no such turn."""
        turns = statements.turn
        state = self._connection.scalar(
            select(turns.c.state).where(turns.c.conversation == head.id, turns.c.seq == seq)
        )
        return None if state is None else TurnState(state)

    def texts(self, head: Head, wanted: Sequence[LevelKey]) -> dict[LevelKey, str]:
        """Read level texts of hot segments, 64 per statement, preferring a model's."""
        models = {
            (often.node.height, often.node.idx, level)
            for often in head.often
            if often.node.refined
            for level in (1, 2, 3)
            if often.node.shows_model(level)
        }
        texts: dict[LevelKey, str] = {}
        for start in range(0, len(wanted), statements.TEXTS_A_STATEMENT):
            block = list(wanted[start : start + statements.TEXTS_A_STATEMENT])
            block += [(-1, 0, 0)] * (statements.TEXTS_A_STATEMENT - len(block))
            parameters: dict[str, int] = {"conversation": head.id}
            for i, key in enumerate(block):
                height, idx, level = key
                parameters |= {f"h{i}": height, f"i{i}": idx, f"l{i}": level, f"r{i}": int(key in models)}
            for row in self._connection.execute(statements.TEXTS, parameters):
                texts[row[0], row[1], row[2]] = row[3]
        return texts

    def stored_seqs(self, head: Head, turn_ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of the given turns that are stored; at most 200 ids."""
        ids = json.dumps(turn_ids)
        rows = self._connection.execute(statements.STORED_SEQS, {"conversation": head.id, "ids": ids})
        return {row.turn_id: row.seq for row in rows}

    def turn_ids(self, head: Head, seqs: Sequence[int]) -> dict[int, str]:
        """Return the ids of turns by number; at most 500."""
        numbers = ",".join(map(str, seqs))
        rows = self._connection.execute(statements.TURN_IDS, {"conversation": head.id, "numbers": numbers})
        return {row.seq: row.turn_id for row in rows}

    def postings(self, head: Head, terms: Sequence[str]) -> list[PostingRow]:
        """Return postings (term, idx, weight, pointers) of the segments with the highest weights of each term.

        Postings written only by a model have no pointers. If those of the rules were dropped, adds to `missed`.
        """
        if not terms:
            return []
        wanted = WantedPieces(terms, head.node_count)
        parameters = {"conversation": head.id, "numbers": ",".join(map(str, (MARK, *wanted.numbers)))}
        postings: dict[tuple[str, int], PostingRow] = {}
        for statement in (query_statements.POSTINGS, query_statements.MODEL_POSTINGS):
            rows = self._connection.execute(statement, parameters)
            bodies = {row.number: bytes(row.body) for row in rows}
            if bodies.pop(MARK, None) is not None:
                self.missed.add(head.id)
            pieces = {number: opened(number, body) for number, body in bodies.items()}
            for term, idx, weight, pointers in wanted.heaviest(pieces, query_statements.POSTINGS_A_TERM):
                rules = statement is query_statements.POSTINGS
                postings.setdefault((term, idx), (term, idx, weight, pointers if rules else b""))
        return list(postings.values())

    def segment_signs(self, head: Head) -> tuple[SegmentSigns, ...]:
        """Return the inputs of segments' importance, in order: of the newest segments and of those expanded."""
        return segment_signs(self._connection, head)

    def segments_after(self, head: Head, after: int, *, most: int, words: bool) -> list[Segment]:
        """Return a page of segments after a number, in order; `words` adds their text and facts."""
        page = segments_after(self._connection, head, after, most=most, words=words)
        if words and any(1 not in segment.words for segment in page):
            self.missed.add(head.id)
        return page

    def work(self, selection: Selection) -> list[Work]:
        """Return work that is parked, failing or overdue."""
        return work_needing_attention(self._connection, selection)

    def usage(self, tenant: str, since: date, *, conversation_id: str | None = None, each: bool = False) -> list[Usage]:
        """Return model usage since a day: of a tenant, of one of its conversations, or of `each` of them."""
        return usage_since(self._connection, tenant, since, conversation_id=conversation_id, each=each)

    def relations(self, head: Head) -> list[Relation]:
        """Return the relations of all segments, in order."""
        return segment_relations(self._connection, head)

    def top_relations(self, head: Head) -> list[str]:
        """Return the relations stated most often in everything folded."""
        return top_relations(self._connection, head)

    def part_entries(self, head: Head, segments: Sequence[int]) -> list[PartEntry]:
        """Return the parts of the long turns of some segments, in order."""
        if not segments:
            return []
        of = {"conversation": head.id, "segments": ",".join(map(str, segments))}
        bodies = self._connection.scalars(query_statements.PART_LISTS, of)
        return [part for body in bodies for part in unpack_parts(bytes(body))]

    def passages(self, head: Head, numbers: Sequence[int]) -> list[tuple[int, str]]:
        """Return passages by their numbers, packed."""
        if not numbers:
            return []
        wanted = frozenset(numbers)
        of = {"conversation": head.id, "numbers": ",".join(map(str, set(map(bundle_of, wanted))))}
        rows = self._connection.execute(query_statements.HIT_PASSAGES, of)
        return passages_among([(row.bundle, bytes(row.body)) for row in rows], wanted)

    def turns_of_segments(
        self, head: Head, segments: Sequence[int], *, cap: int
    ) -> tuple[list[StoredTurn], dict[int, int]]:
        """Return the truncated turns of at most eight segments, and the segment of each turn."""
        padded = [*segments, *([-1] * (SEGMENT_HITS - len(segments)))]
        wanted = {f"x{i}": idx for i, idx in enumerate(padded)}
        nodes = self._connection.execute(query_statements.HIT_NODES, {"conversation": head.id, **wanted}).all()
        edges: dict[str, int] = {}
        for i in range(SEGMENT_HITS):
            edges[f"a{i}"], edges[f"b{i}"] = (nodes[i].first_seq, nodes[i].last_seq) if i < len(nodes) else (0, -1)
        short = Shortening.to(cap, last_seq=0)
        wanted_words = {"head": short.head, "tail": short.tail}
        rows = self._connection.execute(query_statements.HIT_TURNS, {"conversation": head.id, **wanted_words, **edges})
        turns = [shortened_record(row, short) for row in rows]
        return turns, {
            turn.seq: node.idx for node in nodes for turn in turns if node.first_seq <= turn.seq <= node.last_seq
        }

    def turn_sizes(self, head: Head, first_seq: int, last_seq: int, *, most: int) -> tuple[tuple[int, int], ...]:
        """Return number and stored token count of the turns of a range, oldest first."""
        rows = self._connection.execute(
            statements.TURN_SIZES, {"conversation": head.id, "first_seq": first_seq, "last_seq": last_seq, "most": most}
        )
        return tuple((row.seq, row.tokens) for row in rows)

    def names_between(self, head: Head, first_seq: int, last_seq: int) -> frozenset[str]:
        """Return the names of the speakers in a range of turns."""
        between = {"conversation": head.id, "first_seq": first_seq, "last_seq": last_seq}
        return frozenset(self._connection.execute(statements.NAMES_BETWEEN, between).scalars())

    def turns_between(
        self, head: Head, first_seq: int, last_seq: int, *, most: int, offset: int = 0, cap: int = MOST_CAP
    ) -> tuple[TurnPiece, ...]:
        """Return at most `cap` code points of each turn of a range, oldest first; of the first one from `offset` on.

        Parts come with the first turn if `offset` is 0, and with other turns if they are no longer than `cap`.
        """
        rows = self._connection.execute(
            statements.TURNS_BETWEEN,
            {
                "conversation": head.id, "first_seq": first_seq, "last_seq": last_seq, "most": most,
                "offset": offset, "cap": cap,
            },
        )  # fmt: skip
        return tuple(piece_record(row) for row in rows)

    def node(self, head: Head, height: int, idx: int) -> Node | None:
        """Return one node by primary key."""
        nodes = statements.node
        row = self._connection.execute(
            select(*statements.NODE_COLUMNS).where(
                nodes.c.conversation == head.id, nodes.c.height == height, nodes.c.idx == idx
            )
        ).first()
        return None if row is None else node_record(row)

    def segments_over(self, head: Head, first_seq: int, last_seq: int, *, most: int) -> list[Node]:
        """Return the first `most` segments that overlap a range of turns, in order."""
        nodes = statements.node
        rows = self._connection.execute(
            select(*statements.NODE_COLUMNS)
            .where(
                nodes.c.conversation == head.id, nodes.c.height == 0, nodes.c.last_seq >= first_seq,
                nodes.c.first_seq <= last_seq,
            )
            .order_by(nodes.c.idx)
            .limit(most)
        )  # fmt: skip
        return [node_record(row) for row in rows]

    def reconstruction(self, head: Head, node: Node) -> str | None:
        """Return a model's reconstruction of the node's turns; None if there is none."""
        levels = table(LevelRow)
        return self._connection.scalar(
            select(levels.c.body).where(
                levels.c.conversation == head.id, levels.c.height == node.height, levels.c.idx == node.idx,
                levels.c.level == 0, levels.c.refined == 1,
            )
        )  # fmt: skip

    def nodes_within(self, head: Head, first_seq: int, last_seq: int, *, below: int) -> tuple[Node, ...]:
        """Return the coarsest nodes of heights under `below` that lie within a range, in order.

        Recurses into the remainders at both ends, height by height: at most 14 rows per height.
        """
        if below <= 0 or first_seq > last_seq:
            return ()
        nodes = statements.node
        height = below - 1
        nodes_here = tuple(
            node_record(row)
            for row in self._connection.execute(
                select(*statements.NODE_COLUMNS)
                .where(
                    nodes.c.conversation == head.id, nodes.c.height == height,
                    nodes.c.first_seq >= first_seq, nodes.c.last_seq <= last_seq,
                )
                .order_by(nodes.c.idx)
                .limit(4 * FAN_OUT)
            )
        )  # fmt: skip
        if not nodes_here:
            return self.nodes_within(head, first_seq, last_seq, below=height)
        earlier = self.nodes_within(head, first_seq, nodes_here[0].first_seq - 1, below=height)
        after = self.nodes_within(head, nodes_here[-1].last_seq + 1, last_seq, below=height)
        return (*earlier, *nodes_here, *after)

    def level_text(self, head: Head, node: Node, level: int) -> str | None:
        """Return the text of a node at a level, preferring a model's; None if it was dropped."""
        levels = table(LevelRow)
        text = self._connection.scalar(
            select(levels.c.body)
            .where(
                levels.c.conversation == head.id, levels.c.height == node.height, levels.c.idx == node.idx,
                levels.c.level == level,
            )
            .order_by(levels.c.refined.desc())
            .limit(1)
        )  # fmt: skip
        if text is None:
            self.missed.add(head.id)
        return text

    def anchor(self, head: Head, id_: int) -> Anchor | None:
        """Return one anchor by primary key."""
        rows = self._connection.execute(
            SAID_ANCHORS.where(statements.anchor.c.id == id_), {"conversation": head.id}
        ).all()
        return next(iter(said_anchors(self._connection, head, rows)), None)

    def anchors(self, head: Head) -> AnchorRead:
        """Return a reader of the conversation's anchors."""
        return AnchorRead(self._connection, head)

    def first_after(self, head: Head, moment: datetime) -> int | None:
        """Return the number of the first turn at or after a moment; None if there is none."""
        of = {"conversation": head.id, "moment": moment}
        return self._connection.scalar(statements.FIRST_AFTER, of)

    def past_anchors(self, head: Head, last_seq: int, tail: TailAnchors) -> PastAnchors:
        """Return the anchors that were active at a turn; `tail` is the current open tail."""
        return past_anchors(self._connection, head, last_seq, tail)

    def notes(self, head: Head) -> NoteRead:
        """Return a reader of the conversation's notes."""
        return NoteRead(self._connection, head)

    def progress(self, head: Head) -> ProgressRead:
        """Return a reader of the conversation's progress."""
        return ProgressRead(self._connection, head)
