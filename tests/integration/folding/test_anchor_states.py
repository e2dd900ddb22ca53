"""Later turns, marks and the goal change earlier anchors, as seen through the client."""

from __future__ import annotations

from rich.console import Console

from conftest import LocalWorker
from turnfold import Turn, Turnfold
from turnfold.assemble import Policy
from turnfold.contract.keys import Address
from turnfold.contract.records import Anchor, AnchorState, AnchorType
from turnfold.database.reader import Reader
from turnfold_worker.cli.inspect_command import inspection_tree
from turnfold_worker.operate.inspection import inspect_conversation

SMALL = {"segment_max_turns": 4, "segment_min_turns": 2}
WIDE = Policy(name="many anchors", anchors_share=0.5)


def filler(count: int = 4) -> list[str]:
    return ["Nothing of note, once more."] * count


def tell(tf: Turnfold, *texts: str, conversation: str = "c") -> None:
    """Append each text in a segment of its own, followed by more turns than a small context shows verbatim."""
    tf.configure(conversation, settings=SMALL)
    said = [each for text in texts for each in (text, *filler(7))]
    said += ["Nothing of note, and nothing else either that anybody would want to keep."] * 30
    tf.append(conversation, [{"role": "user", "content": each} for each in said])


def about(tf: Turnfold, words: str, conversation: str = "c") -> Anchor:
    (found,) = [one for one in tf.anchors(conversation, states=None) if words in one.text]
    return found


def anchor_lines(tf: Turnfold, conversation: str = "c", budget_tokens: int = 300) -> list[str]:
    lines = tf.context(conversation, budget_tokens=budget_tokens, policy=WIDE).text.splitlines()
    kinds = tuple(f"[{kind.replace('_', ' ')} " for kind in AnchorType)
    return [line for line in lines if line.startswith(kinds)]


def test_an_answer_resolves_a_question_and_it_leaves_contexts(tf: Turnfold, local: LocalWorker) -> None:
    tell(tf, "Which region hosts the nightly backups?")
    local.settle()
    assert any("Which region" in line for line in anchor_lines(tf))
    tell(tf, "We decided that Frankfurt hosts the nightly backups.")
    local.settle()
    question, answer = about(tf, "Which region"), about(tf, "Frankfurt")
    assert (question.state, question.related) == (AnchorState.RESOLVED, answer.id)
    shown = anchor_lines(tf)
    assert any("Frankfurt" in line for line in shown)
    assert not any("Which region" in line for line in shown)


def test_a_promise_that_is_kept_is_resolved(tf: Turnfold, local: LocalWorker) -> None:
    tell(tf, "I'll send the signed contract to the notary.", "I've sent the signed contract to the notary.")
    local.settle()
    promise, report = about(tf, "I'll send"), about(tf, "I've sent")
    assert (promise.state, promise.related) == (AnchorState.RESOLVED, report.id)
    assert not any("I'll send" in line for line in anchor_lines(tf))


def test_a_correction_of_a_correction_leaves_only_the_last(tf: Turnfold, local: LocalWorker) -> None:
    tell(
        tf,
        "We decided the launch party is in Lisbon.",
        "Correction: the launch party is in Porto.",
        "Change of plans: the launch party is in Braga.",
    )
    local.settle()
    lisbon, porto, braga = (about(tf, place) for place in ("Lisbon", "Porto", "Braga"))
    assert (lisbon.state, lisbon.related) == (AnchorState.SUPERSEDED, porto.id)
    assert (porto.state, porto.related, porto.replaces) == (AnchorState.SUPERSEDED, braga.id, lisbon.id)
    assert (braga.state, braga.replaces) == (AnchorState.ACTIVE, porto.id)
    (line,) = anchor_lines(tf)
    assert 'replaces "Correction: the launch party is in Porto."' in line


def test_an_assistant_corrects_itself(tf: Turnfold, local: LocalWorker) -> None:
    tf.configure("c", settings=SMALL)
    tf.append("c", [{"role": "user", "content": "When is the ledger service deployed?"}])
    tf.append("c", [{"role": "assistant", "content": "I will deploy the ledger service on Monday."}])
    tf.append("c", [{"role": "user", "content": each} for each in filler(6)])
    tf.append("c", [{"role": "assistant", "content": "I was wrong: the ledger service is deployed on Tuesday."}])
    tf.append("c", [{"role": "user", "content": each} for each in filler(8)])
    local.settle()
    assert about(tf, "Monday").state is AnchorState.SUPERSEDED
    assert about(tf, "Tuesday").replaces == about(tf, "Monday").id


def test_what_differs_in_a_number_a_name_or_a_negation_stays_apart(tf: Turnfold, local: LocalWorker) -> None:
    texts = (
        "The search latency must be < 150 ms.", "The checkout latency must be < 250 ms.",
        "We decided to give Ana the production keys.", "We decided to give Omar the staging keys.",
        "You must restart the gateway nightly.", "You must not restart the ledger nightly.",
    )  # fmt: skip
    tell(tf, *texts)
    local.settle()
    assert {one.text for one in tf.anchors("c")} >= set(texts)


def test_inspect_shows_the_states_and_what_they_come_from(tf: Turnfold, local: LocalWorker, reader: Reader) -> None:
    tell(tf, "We decided the launch party is in Lisbon.", "Change of plans: the launch party is in Porto.")
    local.settle()
    old, new = about(tf, "Lisbon"), about(tf, "Porto")
    console = Console(record=True, width=200, force_terminal=False)
    console.print(inspection_tree(inspect_conversation(reader, Address(tf.tenant, "c"))))
    shown = console.export_text()
    assert f"{old.id} decision {old.score} (superseded by {new.id}): We decided the launch party is in Lisbon." in shown
    assert f"{new.id} correction {new.score}: Change of plans: the launch party is in Porto." in shown


def test_a_pin_is_kept_whole_and_stands_before_all(tf: Turnfold, local: LocalWorker) -> None:
    tf.configure("c", settings={**SMALL, "segment_max_turns": 30})
    pinned = "the blue folder, always"
    tf.append("c", [Turn(role="user", content=pinned, importance="pin")])
    tf.append("c", [{"role": "user", "content": f"We decided to keep shelf {i} for guild {i}."} for i in range(40)])
    local.settle()
    first = max(tf.anchors("c"), key=lambda one: one.rank)
    assert (first.text, first.score) == (pinned, 100)
    assert any(pinned in line for line in anchor_lines(tf, budget_tokens=200))


def test_the_mark_of_a_turn_moves_its_anchors(tf: Turnfold, local: LocalWorker) -> None:
    ranks = {}
    for mark in ("low", "normal", "medium", "high", "pin"):
        tf.configure(mark, settings=SMALL)
        tf.append(mark, [Turn(role="user", content="We decided to use the harbour office.", importance=mark)])
        tf.append(mark, [{"role": "user", "content": each} for each in filler(7)])
        local.settle()
        ranks[mark] = about(tf, "harbour office", mark).rank
    assert sorted(ranks.values()) == list(ranks.values())
    assert len(set(ranks.values())) == 5


def test_the_goal_and_the_constraints_raise_what_serves_them(tf: Turnfold, local: LocalWorker) -> None:
    texts = ("We decided to paint the harbour office.", "We decided to lease the delivery van.")
    tf.configure("goal", goal="Find out what the delivery costs.")
    tf.configure("constraint", constraints=["Nothing may happen to the van."])
    for conversation in ("neither", "goal", "constraint"):
        tell(tf, *texts, conversation=conversation)
    local.settle()
    plain = about(tf, "van", "neither")
    for conversation in ("goal", "constraint"):
        assert about(tf, "van", conversation).score == min(plain.score + 10, 100)
        assert about(tf, "van", conversation).rank > about(tf, "harbour", conversation).rank
        assert about(tf, "harbour", conversation).score == about(tf, "harbour", "neither").score
