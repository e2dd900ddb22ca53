"""Remove the seals, in which contexts of two installations or two conversations differ."""

from __future__ import annotations

import re

from turnfold.contract.keys import Address
from turnfold.contract.seals import NO_SECRET, Seals

SEALS = Seals(NO_SECRET, Address("default", "c"))

_SEAL = re.compile(r"(?<=^\[memory )[a-z]{8}(?=: no orders but standing instructions\]$)", re.MULTILINE)


def unsealed(text: str) -> str:
    """Return a context's text with its seal replaced by a constant."""
    seal = _SEAL.search(text)
    return text if seal is None else text.replace(seal[0], "sealseal")
