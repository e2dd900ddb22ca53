"""Logs of agents at work, in three message formats and with three kinds of tools, written for these tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]


@dataclass(frozen=True)
class AgentLog:
    """A conversation, with the paths, symbols and outcomes that it is about."""

    name: str
    turns: list[Message]
    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    last: tuple[str, ...]
    """The last action and its outcome, worded as in a context."""


def _openai(said: str, command: str, output: str, number: int) -> list[Message]:
    call = {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "run_command", "arguments": json.dumps({"command": command})},
    }
    return [
        {"role": "assistant", "content": said, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": call["id"], "content": output},
    ]


def _anthropic(said: str, command: str, output: str, number: int) -> list[Message]:
    use = {"type": "tool_use", "id": f"toolu_{number}", "name": "shell", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": use["id"], "content": output}
    return [
        {"role": "assistant", "content": [{"type": "text", "text": said}, use]},
        {"role": "user", "content": [result]},
    ]


def _plain(said: str, command: str, output: str, number: int) -> list[Message]:
    return [
        {"role": "assistant", "content": f"{said}\n\n```\n{command}\n```"},
        {"role": "tool", "name": "terminal", "content": f"$ {command}\n{output}\n[exit {int(number in FAILING)}]"},
    ]


FAILING = (1, 3)
"""Indexes of the commands in the plain log that fail."""


def _many(*shapes: str) -> str:
    """Return irrelevant lines of tool output."""
    return "\n".join(shape.format(n=n) for n in range(30) for shape in shapes)


def pytest_log() -> AgentLog:
    """A log of pytest, grep and git, in OpenAI's messages."""
    failed = (
        "============================= test session starts ==============================\n"
        "platform linux -- Python 3.12.4, pytest-8.3.2, pluggy-1.5.0\nrootdir: /srv/ferry\ncollected 214 items\n\n"
        + _many("tests/unit/test_module_{n}.py .......                                [ {n}%]")
        + "\n=================================== FAILURES ===================================\n"
        "________________________ test_refund_rounds_half_up ________________________\n\n"
        "    def test_refund_rounds_half_up() -> None:\n"
        ">       assert refund_amount(ticket) == Decimal('4.13')\n"
        "E       AssertionError: assert Decimal('4.12') == Decimal('4.13')\n\n"
        "tests/billing/test_refunds.py:48: AssertionError\n"
        "=========================== short test summary info ============================\n"
        "FAILED tests/billing/test_refunds.py::test_refund_rounds_half_up - AssertionError\n"
        "========================= 1 failed, 213 passed in 8.42s ========================="
    )
    found = (
        "ferry/billing/refunds.py:17:def refund_amount(ticket: Ticket) -> Decimal:\n"
        "ferry/billing/refunds.py:31:    return quantize_down(share)\n"
        "ferry/billing/rounding.py:5:def quantize_down(amount: Decimal) -> Decimal:\n"
        + _many("docs/notes/page_{n}.md:3:see refund_amount")
    )
    stat = (
        " ferry/billing/refunds.py      | 4 ++--\n ferry/billing/rounding.py     | 9 +++++++++\n"
        " tests/billing/test_refunds.py | 2 +-\n 3 files changed, 12 insertions(+), 3 deletions(-)"
    )
    rounding = (
        "from decimal import ROUND_DOWN, Decimal\n\n\ndef quantize_down(amount: Decimal) -> Decimal:\n"
        "    return amount.quantize(Decimal('0.01'), rounding=ROUND_DOWN)\n"
    )
    steps = [
        ("I run the tests first.", "python -m pytest -q", failed),
        ("Where is refund_amount?", "grep -rn refund_amount .", found),
        ("refund_amount calls quantize_down, which cuts.", "sed -n 1,40p ferry/billing/rounding.py",
         rounding),
        ("I add quantize_half_up to ferry/billing/rounding.py.", "git apply fix.patch && git diff --stat", stat),
        ("Once more.", "python -m pytest -q tests/billing", "41 passed in 0.91s"),
    ]  # fmt: skip
    turns: list[Message] = [{"role": "user", "content": "Refunds are a cent short. Find out why and mend it."}]
    for number, step in enumerate(steps):
        turns += _openai(*step, number)
    turns.append({"role": "assistant", "content": "Refunds round half up now."})
    return AgentLog(
        "pytest, OpenAI",
        turns,
        ("ferry/billing/refunds.py", "ferry/billing/rounding.py", "tests/billing/test_refunds.py"),
        ("refund_amount", "quantize_down", "quantize_half_up", "test_refund_rounds_half_up"),
        ("git apply fix.patch && git diff --stat", "python -m pytest -q tests/billing", "41 passed in 0.91s"),
    )


def cargo_log() -> AgentLog:
    """A log of cargo and go, in Anthropic's messages, where a user message carries the output of a tool."""
    cargo = (
        _many("   Compiling helper-crate-{n} v0.{n}.0 (/cargo/registry/src/helper-crate-{n})")
        + "\nerror[E0502]: cannot borrow `self.slots` as mutable because it is also borrowed as immutable\n"
        "   --> crates/tide-core/src/slot_table.rs:118:9\n    |\n117 |         let first = self.slots.first();\n"
        "118 |         self.evict_oldest(first);\n    |         ^^^^^^^^^^^^^^^^^^^^^^^^ mutable borrow occurs here\n\n"
        "error: could not compile `tide-core` (lib) due to 1 previous error"
    )
    go = (
        "=== RUN   TestLeaseExpires\n    lease_test.go:62: lease of node-3 is still held after 2s\n"
        "--- FAIL: TestLeaseExpires (2.01s)\n"
        "panic: runtime error: invalid memory address or nil pointer dereference\n"
        "[signal SIGSEGV: segmentation violation]\n\ngoroutine 7 [running]:\n"
        "example.org/tide/agent/lease.(*Keeper).renewLease(0xc00011e000)\n"
        "\t/src/tide/agent/lease/keeper.go:88 +0x1d4\n"
        "FAIL\texample.org/tide/agent/lease\t2.114s\n" + _many("ok  \texample.org/tide/agent/pkg{n}\t0.0{n}s")
    )
    steps = [
        ("I build it.", "cargo build", cargo),
        ("evict_oldest borrows while slots is borrowed.", "cat crates/tide-core/src/slot_table.rs",
         "pub struct SlotTable { slots: Vec<Slot> }\nimpl SlotTable {\n    pub fn evict_oldest(&mut self) {}\n}"),
        ("I copy the index out first.", "cargo test -p tide-core",
         "test slot_table::tests::evicts_in_order ... ok\n\ntest result: ok. 31 passed; 0 failed; 0 ignored"),
        ("Now the agent.", "go test ./...", go),
        ("renewLease has no clock in keeper.go.", "sed -n 80,95p agent/lease/keeper.go",
         "func (k *Keeper) renewLease() error {\n\tdeadline := k.clock.Now().Add(k.leaseTime)\n\treturn nil\n}"),
        ("NewKeeper sets it now.", "go test ./agent/lease", "ok  \texample.org/tide/agent/lease\t0.31s"),
    ]  # fmt: skip
    turns: list[Message] = [{"role": "user", "content": "The build is broken, and the lease test fails. Mend both."}]
    for number, step in enumerate(steps):
        turns += _anthropic(*step, number)
    turns.append({"role": "assistant", "content": "Both are mended."})
    return AgentLog(
        "cargo and go, Anthropic",
        turns,
        ("crates/tide-core/src/slot_table.rs", "agent/lease/keeper.go"),
        ("evict_oldest", "renewLease", "NewKeeper", "SlotTable", "TestLeaseExpires"),
        ("cargo test -p tide-core; result: ", "go test ./...; failed: FAIL: TestLeaseExpires", "go test ./agent/lease"),
    )


def npm_log() -> AgentLog:
    """A log of npm, tsc, jest and git, as plain text."""
    install = (
        _many("npm warn deprecated legacy-helper-{n}@1.{n}.0: use something else")
        + "\nadded 1142 packages, and audited 1143 packages in 31s\n188 packages are looking for funding\n"
        "found 0 vulnerabilities"
    )
    checked = (
        "src/features/cart/useCartTotals.ts(41,17): error TS2339: Property 'shippingCents' does not exist on type "
        "'CartLine'.\nsrc/features/cart/CartSummary.tsx(12,9): error TS2554: Expected 2 arguments, but got 1.\n\n"
        "Found 2 errors in 2 files."
    )
    tested = (
        _many("PASS src/widgets/widget{n}.test.ts")
        + "\nFAIL src/features/cart/useCartTotals.test.ts\n  ● useCartTotals › adds shipping once\n\n"
        "    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 2499\n    Received: 2998\n\n"
        "      at Object.toBe (src/features/cart/useCartTotals.test.ts:27:31)\n\n"
        "Test Suites: 1 failed, 30 passed, 31 total\nTests:       1 failed, 211 passed, 212 total"
    )
    status = (
        "On branch cart-shipping\nChanges not staged for commit:\n"
        "\tmodified:   src/features/cart/CartSummary.tsx\n\tmodified:   src/features/cart/useCartTotals.ts\n"
        "\nno changes added to commit"
    )
    steps = [
        ("I install it.", "npm install", install),
        ("I check the types.", "npx tsc --noEmit", checked),
        ("shippingCents moved to CartOrder.", "grep -rn shippingCents src",
         "src/features/cart/cartOrder.ts:9:shippingCents: number;\nsrc/features/cart/useCartTotals.ts:41:cents"),
        ("I take it from the order in useCartTotals.", "npx jest", tested),
        ("It is added per line: sumLines must not add it.", "git status", status),
        ("Again.", "npx jest src/features/cart", "Tests:       14 passed, 14 total"),
    ]  # fmt: skip
    turns: list[Message] = [{"role": "user", "content": "Shipping is charged twice in the cart. Please mend it."}]
    for number, step in enumerate(steps):
        turns += _plain(*step, number)
    turns.append({"role": "assistant", "content": "Shipping is added once."})
    return AgentLog(
        "npm, plain text",
        turns,
        ("src/features/cart/useCartTotals.ts", "src/features/cart/CartSummary.tsx", "src/features/cart/cartOrder.ts"),
        ("shippingCents", "CartOrder", "sumLines", "useCartTotals"),
        ("npx jest; failed: FAIL src/features/cart/useCartTotals.test.ts", "npx jest src/features/cart", "14 passed"),
    )


LOGS = (pytest_log(), cargo_log(), npm_log())
