"""The tutorial of docs/proxy.md works as written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from support.child_processes import child_environment
from support.gateway import Gateway
from support.provider import Provider, Reply, Sent
from turnfold import Turnfold

PAGE = (Path(__file__).parents[4] / "docs" / "proxy.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?ms)^```python\n(.*?)^```$", PAGE)
LONG = "It was measured twice, on two days, by two people. " * 8


def answer(sent: Sent) -> Reply:
    return Reply(text=f"Rule {len(sent.items)} follows. {LONG}")


def test_an_application_goes_on_as_it_was_and_its_history_stays_inside_the_budget(
    proxy: Gateway, provider: Provider, key: str, tf: Turnfold, tmp_path: Path
) -> None:
    provider.choose = answer
    (tmp_path / "application.py").write_text("\n\n".join(BLOCKS), encoding="utf-8")
    environment = child_environment(GATEWAY_URL=proxy.url, OPENAI_API_KEY="sk", TURNFOLD_KEY=key)
    done = subprocess.run(
        [sys.executable, "-W", "error", "application.py"],
        check=False, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told, _, compaction = done.stdout.partition("\n")
    memory, tokens, folded = told.split()
    assert memory == "on"
    assert int(tokens) <= 3000
    assert folded.startswith("1-")
    assert len(BLOCKS) == 4
    assert "listen on port 7003" in str(provider.last.items)
    assert "listen on port 70" in compaction
    # Thirty questions and their answers; the final one is not in the application's own history.
    assert tf.status("conv-1").stored + tf.status("conv-1").inbox == 60
