"""A statement that something no longer holds ends the earlier one on the same subject, and no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold_worker.pipeline.anchors.statements.endings import ending_of, ends

USES = "We use Kafka for the event bus."


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (USES, "We no longer use Kafka."),
        (USES, "We don't use Kafka for the event bus any more, it was too slow."),
        (USES, "We stopped using Kafka last spring."),
        ("I work at Acme as a welder.", "I no longer work at Acme."),
        ("I do fencing on Wednesdays.", "I don't do fencing any longer."),
        ("Jonas is my flatmate.", "Jonas is no longer my flatmate."),
        ("Our team tracks its bugs in Jira.", "Our team stopped using Jira."),
        ("We open with the Satie piece.", "Let's drop the Satie piece."),
    ],
)
def test_it_ends_what_says_the_same_of_the_same_subject(old: str, new: str) -> None:
    assert ends(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (USES, "We no longer use Kafka for the audit log."),
        (USES, "In staging, we no longer use Kafka."),
        (USES, "The shop team no longer uses Kafka."),
        (USES, "Should we stop using Kafka?"),
        (USES, "If we no longer use Kafka, tell the shop team."),
        (USES, 'He wrote: "We no longer use Kafka."'),
        ("We use Kafka and Redis.", "We no longer use Kafka."),
        ("We used Kafka back then.", "We no longer use Kafka."),
        ("We don't use Kafka.", "We no longer use Kafka."),
        ("I work at Acme.", "I no longer work at weekends."),
        ("Jonas is my flatmate.", "Jonas is no longer my tutor."),
        ("We run Kafka in staging.", "We no longer run staging."),
        ("The kids are in year 3.", "Let's drop the kids at school."),
    ],
)
def test_it_ends_nothing_else(old: str, new: str) -> None:
    assert not ends(new, old)


_WORDS = [
    "we",
    "I",
    "Ana",
    "no",
    "longer",
    "use",
    "drink",
    "don't",
    "any",
    "more",
    "stopped",
    "using",
    "Kafka",
    "tea",
    "in",
]
words = st.lists(st.sampled_from(_WORDS), max_size=9)


@given(words, words)
def test_any_words_are_read_and_what_ends_nothing_closes_nothing(new: list[str], old: list[str]) -> None:
    later, earlier = " ".join(new), " ".join(old)

    closes = ends(later, earlier)

    assert not closes or ending_of(later) is not None
    assert not ends(earlier, f"{earlier}?")
