"""A new anchor is compared with few earlier ones, among them those that share its rare terms."""

from __future__ import annotations

from support.talk import talk
from turnfold.contract.records import ConversationId
from turnfold.testing import in_memory
from turnfold_worker.adapters.sql.anchors import MOST_CANDIDATES, candidates
from turnfold_worker.pipeline.anchors.deduplicate import anchor_terms


def test_an_old_anchor_that_shares_a_rare_word_is_found_beside_many_new_ones_that_share_common_words() -> None:
    turns = talk("candidates", 150)
    turns[5] = {"role": "user", "content": "I'll renew the permit QX-7039 on Friday.", "importance": "high"}
    with in_memory() as tf:
        tf.append("c", turns)
        tf.fold_now()
        anchors = tf.anchors("c")
        with tf.engine.connect() as connection:
            number = ConversationId(connection.exec_driver_sql("SELECT id FROM conversation").scalar_one())
            words = list(dict.fromkeys(word for anchor in anchors[-60:-20] for word in anchor_terms(anchor.text)))
            (permit,) = [anchor for anchor in anchors if "QX-7039" in anchor.text]
            crowded = candidates(connection, number, words, 0)
            found = candidates(connection, number, [*words, *anchor_terms(permit.text)], 0)
    assert permit.id not in {one.id for one in crowded}
    assert permit.id in {one.id for one in found}
    assert len(found) <= MOST_CANDIDATES
    assert [one.id for one in found] == sorted(one.id for one in found)
