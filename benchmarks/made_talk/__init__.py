"""Talk made by rules, with known changes of topic: what the segmenter is trained on. No person said any of it."""

from made_talk.talk import KINDS, MadeTurn, Talk, make_talk

__all__ = ["KINDS", "MadeTurn", "Talk", "make_talk"]
