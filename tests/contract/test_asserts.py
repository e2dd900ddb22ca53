"""Every test has an assertion that certainly runs: outside branches and loops that may be empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.certain_asserts import unchecked_tests

TESTS = Path(__file__).parents[1]
FILES = sorted(TESTS.rglob("test_*.py"))


def test_every_test_has_a_check_that_certainly_runs() -> None:
    assert Path(__file__) in FILES
    unchecked = {str(file.relative_to(TESTS)): unchecked_tests(file.read_text(encoding="utf-8")) for file in FILES}
    assert {file: names for file, names in unchecked.items() if names} == {}


def body(*lines: str) -> str:
    """Return the source of one test with the given lines, preceded by helpers and constants."""
    head = "FULL = [1, 2]\nEMPTY = []\ndef sure(): assert cuts()\ndef unsure():\n    for _ in cuts(): assert _\n"
    return head + "async def test_it(given):\n" + "".join(f"    {line}\n" for line in lines)


@pytest.mark.parametrize("lines", [
    ["for cut in cuts(): assert cut"],
    ["for cut in given: assert cut"],
    ["for cut in EMPTY: assert cut"],
    ["for cut in ():", "    assert cut", "    raise ValueError"],
    ["for cut in range(0): assert cut"],
    ["for cut in range(len(given)): assert cut"],
    ["for cut in [one for one in FULL if one > 5]: assert cut"],
    ["for cut, other in zip(FULL, cuts()): assert cut"],
    ["for cut in (*cuts(),): assert cut"],
    ["FULL = cuts()", "for cut in FULL: assert cut"],
    ["for cut in FULL:", "    if cut > 5: continue", "    assert cut"],
    ["for cut in FULL:", "    for part in cut: assert part"],
    ["for cut in cuts():", "    with pytest.raises(ValueError): cut()"],
    ["for cut in cuts(): assert_cut(cut)"],
    ["[check_cut(cut) for cut in cuts()]"],
    ["for cut in FULL: unsure()"],
    ["async for cut in FULL: assert cut"],
    ["while cuts(): assert cuts()"],
    ["if cuts(): assert cuts()"],
    ["if cuts(): assert cuts()", "else: cuts()"],
    ["if not cuts(): return", "assert cuts()"],
    ["try: cuts()", "except ValueError: assert cuts()"],
    ["def inner(): assert cuts()"],
    ["call = lambda: check_cut(1)"],
], ids=" ".join)  # fmt: skip
def test_what_may_check_nothing_is_found(lines: list[str]) -> None:
    assert unchecked_tests(body(*lines)) == ["test_it"]


@pytest.mark.parametrize("lines", [
    ["assert cuts()", "for cut in cuts(): assert cut"],
    ["for cut in cuts(): assert cut", "assert cuts()"],
    ["for cut in cuts():", "    if cut: break", "assert cuts()"],
    ["for cut in FULL: assert cut"],
    ["for cut in (1, 2): assert cut"],
    ["for at, cut in enumerate(sorted(FULL)): assert cut"],
    ["for cut in {1: 2}.items(): assert cut"],
    ["for cut in [one for one in FULL]: assert cut"],
    ["for cut in range(1, 3): assert cut"],
    ["for cut in zip(FULL, cuts(), strict=True): assert cut"],
    ["few = (1,)", "for cut in (*cuts(), *few): assert cut"],
    ["for cut in cuts() + [1]: assert cut"],
    ["for cut in cuts(): pass", "else: assert cuts()"],
    ["while True:", "    assert cuts()", "    break"],
    ["if cuts(): assert cuts()", "else: assert not cuts()"],
    ["if not cuts():", "    assert given", "    return", "assert cuts()"],
    ["try: cuts()", "except ValueError: return", "assert cuts()"],
    ["with cuts():", "    with pytest.raises(ValueError): cuts()"],
    ["sure()"],
    ["await wait_until(cuts)"],
    ["def inner(): assert cuts()", "inner()"],
    ["cuts()"],
], ids=" ".join)  # fmt: skip
def test_what_certainly_checks_passes_and_so_does_what_only_must_not_raise(lines: list[str]) -> None:
    assert unchecked_tests(body(*lines)) == []
