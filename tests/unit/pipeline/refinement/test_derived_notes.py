"""A note may state what a reader derives from its turns: each true note is paired with a lie."""

from __future__ import annotations

import pytest

from note_evidence import evidence

TALK = (
    ("2024-05-06", "Ada", "My aunt gave me this loom for my birthday ten years ago."),
    ("2024-05-06", "Bo", 'Have you read "Winter Harbour"? I finished it on the train, it is gripping.'),
    ("2024-05-06", "Ada", "I love gripping novels too, so I'll read it. I never tried weaving, this may be the first."),
    ("2024-05-06", "Bo", "My cousin and I are going to a canoe race on Sunday, want to join?"),
    ("2024-05-06", "Ada", "Yeah! Would you like me to bring the paddles? I told them I'm not bringing the tent."),
    ("2024-05-06", "Bo", "I worked with canoes, and have not worked with other boats. I tried hard but didn't win it."),
    ("2024-05-06", "Bo", "They've been repairing it for weeks. We are hosting a party two weekends later."),
)  # fmt: skip
PROGRAM = (
    ("", "user", "Can you help me to add caching?"),
    (
        "",
        "assistant",
        "Cache pages to save time. Store sessions in Redis. Log out the user after 900 seconds.\n\n"
        + "Keep the rest as it is, and test it well. " * 5
        + "\n```python\nfrom flask_caching import Cache\nhandler.setLevel(logging.INFO)\nconfig['HASH_COST'] = 3\n"
        "return jsonify({'error': 'Wrong token'}), 498\n```",
    ),
    ("", "user", 'I get "TypeError: NoneType object is not iterable" from GET /pages (body None).'),
)  # fmt: skip
PAIRS = (
    ([1], "Ada", "Ada got a loom for her birthday ten years before 2024.",
     "Ada got a loom for her birthday nine years before 2024."),
    ([1], "Ada", "Ada got a loom for her birthday ten years before May 2024.",
     "Ada got a loom for her birthday ten years before May 2021."),
    ([2, 3], "Ada", 'Ada loves gripping novels like "Winter Harbour".', 'Ada finished "Winter Harbour" on the train.'),
    ([3], "Ada", "Ada may try weaving for the first time.", "Ada tried weaving."),
    ([4, 5], "Bo", "Bo and the cousin are going to a canoe race, and Ada wants to join.",
     "Ada's cousin is going to a canoe race."),
    ([5], "Ada", "Ada will bring Bo paddles.", "Bo will bring Ada paddles."),
    ([6], "Bo", "Bo has worked with canoes, not with other boats.", "Bo has worked with other boats."),
    ([6], "Bo", "Bo tried hard.", "Bo tried hard but did win it."),
    ([7], "Bo", "Bo says they've been repairing it for weeks.", "Bo says they've been selling it for weeks."),
    ([7], "Bo", "Bo hosts a party about 18 May 2024.", "Bo hosts a party about 28 May 2024."),
)  # fmt: skip
PROGRAM_PAIRS = (
    ([1], "user", "User wants help to add caching.", "Assistant wants help to add caching."),
    ([2], "assistant", "Use Redis to store sessions.", "Use Redis to store passwords."),
    ([2], "assistant", "Use Flask-Caching to save time.", "Use Django-Caching to save time."),
    ([2], "assistant", "The handler has the level INFO.", "The handler has the rank INFO."),
    ([2], "assistant", "Set HASH_COST = 3.", "Set HASH_COST = 4."),
    ([2], "assistant", "A wrong token returns 498.", "A wrong token returns 900."),
    ([2], "assistant", "After 900 seconds the user is logged out.", "After 900 seconds the user is not logged out."),
    ([3], "user", 'User gets "TypeError: NoneType object is not iterable".',
     'User gets "TypeError: NoneType object is iterable".'),
    ([3], "user", "User gets TypeError: NoneType object is not iterable from GET /pages.",
     "User gets TypeError: NoneType object is not callable from GET /pages."),
    ([3], "user", "User's GET /pages has the body None.", "User's GET /pages has the body JSON."),
)  # fmt: skip


@pytest.mark.parametrize(("seqs", "speaker", "true", "lie"), PAIRS)
def test_what_follows_from_a_talk_is_kept_and_a_lie_beside_it_refused(
    seqs: list[int], speaker: str, true: str, lie: str
) -> None:
    said = evidence(TALK)
    assert said.problems(true, seqs, speaker) == []
    assert said.problems(lie, seqs, speaker)


@pytest.mark.parametrize(("seqs", "speaker", "true", "lie"), PROGRAM_PAIRS)
def test_what_follows_from_a_program_is_kept_and_a_lie_beside_it_refused(
    seqs: list[int], speaker: str, true: str, lie: str
) -> None:
    said = evidence(PROGRAM)
    assert said.problems(true, seqs, speaker) == []
    assert said.problems(lie, seqs, speaker)
