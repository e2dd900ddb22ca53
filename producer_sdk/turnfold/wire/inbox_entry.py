"""An inbox entry as read from its stream: made by `encode`, plus its stream id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self


class InboxEntry(NamedTuple):
    """An entry read from an inbox."""

    stream_id: str
    operation: str
    entry_id: str
    body: bytes

    @classmethod
    def of(cls, stream_id: bytes, flat: Sequence[bytes]) -> Self:
        """Build an entry from the flat list of fields that a script or a RESP2 reply returns.

        >>> InboxEntry.of(b"17-0", [b"op", b"append", b"id", b"m-1", b"d", b"{}"])
        InboxEntry(stream_id='17-0', operation='append', entry_id='m-1', body=b'{}')
        """
        fields = dict(zip(flat[::2], flat[1::2], strict=True))
        return cls(
            stream_id.decode(),
            fields.get(b"op", b"").decode(errors="replace"),
            fields.get(b"id", b"").decode(errors="replace"),
            fields.get(b"d", b""),
        )
