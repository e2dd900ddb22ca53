"""A real browser, controlled by DevTools over a pipe: opens pages, types, presses keys and takes screenshots."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.chromium import OPTIONS, program_of_chromium
from support.waiting import wait_until

_QUIET = tuple(option for option in OPTIONS if not option.startswith("--virtual-time"))
_KEYS = {"Tab": 9, "Enter": 13, "ArrowRight": 39, "ArrowLeft": 37}


class Browser:
    """One tab of a headless browser."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._calls = 0
        self._buffer = b""
        self._session: str | None = None
        self.complaints: list[str] = []
        """Errors of the console and of the content security policy."""
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def open(self, url: str) -> None:
        """Go to a page and wait until it and its files are loaded."""
        self.evaluate("window.isLeft = true")
        self._call("Page.navigate", url=url)
        self.wait_for("!window.isLeft && document.readyState === 'complete'")

    def evaluate(self, expression: str) -> Any:
        """Return the value of a JavaScript expression on the page."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> Any:
        """Wait until a JavaScript expression is true, and return its value."""

        def look() -> Any:
            # A page that is being left cannot evaluate anything.
            answer = self._send("Runtime.evaluate", expression=expression, returnByValue=True)
            return answer.get("result", {}).get("result", {}).get("value")

        return wait_until(look, what=expression)

    def type(self, text: str) -> None:
        """Type into the focused element."""
        self._call("Input.insertText", text=text)

    def press(self, key: str, *, times: int = 1) -> None:
        """Press a key, as a user without a mouse does."""
        code = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
        text = {"text": "\r"} if key == "Enter" else {}
        for _ in range(times):
            self._call("Input.dispatchKeyEvent", type="keyDown", **code, **text)
            self._call("Input.dispatchKeyEvent", type="keyUp", **code)

    def look_like(self, *, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Emulate a screen of a size, in light or dark mode."""
        mobile = width < 600
        self._call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if mobile else 1,
            mobile=mobile,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])

    def screenshot(self, file: Path, *, whole: bool = False) -> None:
        """Save a screenshot of the viewport, or of the whole page."""
        picture = self._call("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(picture["data"]))

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        answer = self._send(method, **parameters)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._calls += 1
        message: dict[str, Any] = {"id": self._calls, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writing, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._calls:
            self._note(answer)
        return answer

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            block = os.read(self._reading, 1 << 20)
            assert block, "the browser ended"
            self._buffer += block
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        if event.get("method") == "Log.entryAdded":
            entry = event["params"]["entry"]
            # Responses such as 404 are logged here, too; tests check those themselves.
            if entry["level"] == "error" and entry.get("source") != "network":
                self.complaints.append(entry["text"])
        elif event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(event["params"]["exceptionDetails"]["text"])


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with an empty profile that ends with the block. Skips without one, but fails where CI is set."""
    program = program_of_chromium()
    profile = folder / "driven-profile"
    read_commands, write_commands = os.pipe()
    read_answers, write_answers = os.pipe()
    options = [option for option in _QUIET if not option.startswith("--window-size")]
    # The browser reads DevTools commands from file descriptor 3 and writes answers to 4.
    process = subprocess.Popen(
        ["bash", "-c", f'exec "$@" 3<&{read_commands} 4>&{write_answers}', "bash", program, *options,
         "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(read_commands, write_answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(read_commands)
    os.close(write_answers)
    try:
        yield Browser(read_answers, write_commands)
    finally:
        os.close(write_commands)
        process.terminate()
        process.wait(timeout=120)
        os.close(read_answers)
        shutil.rmtree(profile, ignore_errors=True)
