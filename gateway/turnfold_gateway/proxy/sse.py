"""Parse server-sent events from bytes that are split anywhere. Pure except for its buffer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class EventParser:
    """Collects the data of events as the HTML standard specifies: any line ending, comments, multi-line data."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._scanned = 0
        """Bytes of `_pending` already searched for a line ending."""
        self._data: list[bytes] = []
        self._began = False

    def feed(self, received: bytes) -> Iterator[str]:
        """Yield the data of each event that these bytes complete."""
        self._pending += received
        if not self._began:
            if len(self._pending) < len(_BYTE_ORDER_MARK) and _BYTE_ORDER_MARK.startswith(self._pending):
                return
            self._began = True
            if self._pending.startswith(_BYTE_ORDER_MARK):
                del self._pending[: len(_BYTE_ORDER_MARK)]
        start = 0
        while (end := _LINE_END.search(self._pending, max(start, self._scanned))) is not None:
            if end.group() == b"\r" and end.end() == len(self._pending):
                # The matching newline may be in the next bytes.
                break
            line = bytes(self._pending[start : end.start()])
            start = end.end()
            if (ended := self._take(line)) is not None:
                yield ended
        del self._pending[:start]
        self._scanned = max(0, len(self._pending) - 1)

    def _take(self, line: bytes) -> str | None:
        if not line:
            lines, self._data = self._data, []
            return b"\n".join(lines).decode("utf-8", "replace") if lines else None
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        return None
