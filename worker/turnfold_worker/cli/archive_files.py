"""Archives as files, for `turnfold import`: recognize them and restore their conversations."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from turnfold.errors import Unavailable
from turnfold_worker.cli.output import progress
from turnfold_worker.importing.transcripts import STANDARD_INPUT

if TYPE_CHECKING:
    from turnfold.contract.keys import Address
    from turnfold.redis.inbox import ProducerInbox
    from turnfold_worker.cli.session import Session
    from turnfold_worker.importing.restore import Restored

_BEGINS: Final = b'{"turnfold":"export"'
"""First bytes of an archive, apart from blanks that another tool may have added."""
_BEGINNING: Final = 40
"""Bytes that are read to recognize an archive."""
_PACKED: Final = b"\x1f\x8b"


def is_archive(path: Path) -> bool:
    """Tell whether a file, or standard input, begins like an archive. False for one that cannot be read."""
    try:
        if path == STANDARD_INPUT:
            start = _beginning(sys.stdin.buffer)
            return start.startswith(_PACKED) or _begins(start)
        with _unpacked(path) as file:
            return _begins(file.read(_BEGINNING))
    except (OSError, EOFError):
        return False


def _begins(start: bytes) -> bool:
    return start.replace(b" ", b"").startswith(_BEGINS)


def _beginning(file: Any) -> bytes:
    """Return the next bytes without consuming them."""
    if hasattr(file, "peek"):
        return bytes(file.peek(_BEGINNING))
    beginning: bytes = file.read(_BEGINNING)
    file.seek(0)
    return beginning


@contextmanager
def _unpacked(path: Path) -> Iterator[Any]:
    """Open a file or standard input, decompressed if it is packed."""
    with ExitStack() as closing:
        file: Any = sys.stdin.buffer if path == STANDARD_INPUT else closing.enter_context(path.open("rb"))
        packed = _beginning(file).startswith(_PACKED)
        yield closing.enter_context(gzip.GzipFile(fileobj=file)) if packed else file


def refuse_unless_idle(inbox: ProducerInbox, address: Address) -> None:
    """Raise `Unavailable` when turns of the conversation wait to be stored, or its rows to be deleted."""
    pending = inbox.peek(address, newest=0)
    if pending.forgotten or pending.held:
        was = "was forgotten, but its rows are not deleted yet" if pending.forgotten else "is being appended to"
        msg = f"conversation {address.conversation!r} {was}"
        raise Unavailable(
            msg, remedy="import again once a worker has finished that, or use another id with --conversation"
        )


def restore_file(session: Session, path: Path, *, conversation: str | None, fold_anew: bool) -> Restored:
    """Write the conversations of an archive into SQL. Raises `InvalidFile`, `Unavailable`, and the store's errors."""
    from turnfold.redis.inbox import ProducerInbox
    from turnfold_worker.importing.restore import Wanted, restore

    inbox = ProducerInbox(session.redis)
    wanted = Wanted(tenant=session.settings.tenant, rename=conversation, fold_anew=fold_anew)
    name = "standard input" if path == STANDARD_INPUT else str(path)
    with _unpacked(path) as lines, progress() as bar:
        total = 0
        task = bar.add_task("restoring", total=total)

        def begin(address: Address, turns: int) -> None:
            nonlocal total
            total += turns
            bar.update(task, total=total)
            refuse_unless_idle(inbox, address)

        return restore(
            session.write_engine, lines, name=name, wanted=wanted, begin=begin, turn_read=lambda: bar.advance(task)
        )
