"""Characters that look like a Latin letter. Data only.

The characters of Unicode's table of confusables (UTS 39, confusables.txt, Unicode 15) whose prototype is an ASCII
letter that neither compatibility decomposition nor the character's name leads to, plus small letters of Cyrillic and
Greek that are drawn like small capitals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ALIKE: Final[Mapping[str, str]] = {
    "a": "\u0251\u03b1\u0430\u13aa\u15c5\u237a\ua4ee\U000102a0\U00016f40",
    "b": "\u0184\u0392\u042c\u0432\u13cf\u13f4\u1472\u15af\u15f7\ua4d0\ua7b4\U00010282\U000102a1\U00010301",
    "c": "\u0441\u13df\u2ca5\ua4da\U000102a2\U00010302\U0001043d\U0001051c\U000118e9\U000118f2\U0001f74c",
    "d": "\u0501\u13a0\u13e7\u146f\u15de\u15ea\ua4d2\ua4d3",
    "e": "\u03b5\u0435\u04bd\u13ac\u212e\u22ff\u2d39\ua4f0\uab32\U00010286\U000118a6\U000118ae",
    "f": "\u03dc\u0584\u15b4\u1e9d\ua4dd\uab35\U00010287\U000102a5\U00010525\U000118c2\U0001d213",
    "g": "\u018d\u0261\u050c\u0581\u13c0\u13f3\ua4d6",
    "h": "\u0397\u043d\u04bb\u0570\u13bb\u13c2\u157c\u2c8e\ua4e7\U000102cf",
    "i": "\u0131\u0269\u03b9\u0456\u04cf\u13a5\u2373\ua647\U000118c3",
    "j": "\u03f3\u0458\u13ab\u148d\ua4d9",
    "k": "\u03ba\u043a\u13e6\u16d5\u2c94\ua4d7\U00010518",
    "l": (
        "\u0196\u01c0\u0399\u0406\u04c0\u05c0\u05d5\u05df\u0627\u0661\u06f1\u07ca\u13de\u14aa\u16c1\u2223"
        "\u23fd\u2c92\u2cd0\u2d4f\ua4e1\ua4f2\U0001028a\U00010309\U00010320\U0001041b\U00010526\U000118a3"
        "\U000118b2\U00016f16\U00016f28\U0001d22a\U0001e8c7"
    ),
    "m": "\u03bc\u03fa\u043c\u13b7\u15f0\u16d6\u2c98\ua4df\U000102b0\U00010311",
    "n": "\u039d\u03b7\u0578\u057c\u2c9a\ua4e0\U00010513",
    "o": (
        "\u03bf\u03c3\u043e\u0585\u05e1\u0647\u0665\u06be\u06c1\u06d5\u06f5\u07c0\u0966\u09e6\u0a66\u0ae6"
        "\u0b20\u0b66\u0be6\u0c66\u0ce6\u0d20\u0d66\u0e50\u0ed0\u101d\u1040\u10ff\u12d0\u1d11\u2c9f\u2d54"
        "\u3007\ua4f3\uab3d\U00010292\U000102ab\U0001042c\U000104ea\U00010516\U000114d0\U000118b5\U000118c8"
        "\U000118d7\U000118e0"
    ),
    "p": "\u03c1\u0440\u13e2\u146d\u2374\u2ca3\ua4d1\U00010295",
    "q": "\u051b\u0563\u0566\u2d55",
    "r": "\u01a6\u0433\u13a1\u13d2\u1587\u1d26\u2c85\ua4e3\uab48\uab81\U000104b4\U00016f35\U0001d216",
    "s": "\u01bd\u0455\u054f\u13d5\u13da\ua4e2\U00010296\U00010448\U000118c1\U00016f3a",
    "t": ("\u03c4\u0442\u13a2\u22a4\u27d9\u2ca6\ua4d4\U00010297\U000102b1\U00010315\U000118bc\U00016f0a\U0001f768"),
    "u": "\u028b\u03c5\u057d\u1200\u144c\u222a\u22c3\ua4f4\ua79f\U000104f6\U000118d8\U00016f42",
    "v": (
        "\u03bd\u0475\u05d8\u0667\u06f7\u13d9\u142f\u2228\u22c1\u2d38\ua4e6\ua6df\U0001051d\U00011706"
        "\U000118c0\U00016f08\U0001d20d"
    ),
    "w": "\u026f\u03c9\u0461\u051d\u0561\u13b3\u13d4\ua4ea\U0001170a\U0001170e\U0001170f\U000118e6\U000118ef",
    "x": (
        "\u00d7\u03c7\u0445\u1541\u157d\u166d\u16b7\u2573\u292b\u292c\u2a2f\u2cac\u2d5d\ua4eb\ua7b3\U00010290"
        "\U000102b4\U00010317\U00010322\U00010527\U000118ec"
    ),
    "y": ("\u0263\u03a5\u03b3\u0443\u04af\u10e7\u13a9\u13bd\u1d8c\u2ca8\ua4ec\U000102b2\U000118a4\U000118dc\U00016f43"),
    "z": "\u0396\u13c3\ua4dc\U000102f5\U000118a9\U000118c4\U000118e5",
}
"""Latin letter -> characters that look like it, in either case."""

COLONS: Final = (
    ":\u02d0\u02d1\u02f8\u0589\u05c3\u0703\u0704\u0705\u0706\u0707\u0708\u0709\u0903\u0a83\u1361\u1365\u1366\u16ec\u1803"
    "\u1804\u1809\u205a\u205d\u2236\u2237\u2254\u22ee\u2806\u2812\u2982\u2a74\u2af6\ua4fd\ua6f4\ua789\ufe13\ufe19\ufe30\ufe55\uff1a"
    "\U00010781\U00010782\U00012471\U0001da8a"
)
"""A colon and its lookalikes: from the table of confusables, and others with a similar name or shape."""

BRACKETS: Final = (
    "\u228f\u2291\u231c\u23a1\u23a2\u23a3\u23a7\u23a8\u23a9\u23b0\u23b1\u23b4\u2e02\u2e04\u2e09\u2e0c\u2e1c\u531a\u5338"
)
"""Lookalikes of an opening bracket outside Unicode's category of opening punctuation."""
