"""One Chromium without a window for many pages: each is loaded into the same tab and evaluated
through its DevTools.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np
import pytest
from PIL import Image
from tornado.websocket import WebSocketClientConnection, websocket_connect

from irbmodels.viewer.browser import flags, program

T = TypeVar("T")
SECONDS = 120.0  # for a page, on a busy machine
KEYS = {  # numbers of keys that do more than write a character
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "PageUp": 33,
    "PageDown": 34,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}
CONSOLE = """
const complaints = [];
for (const kind of ["warn", "error"]) console[kind] = (...words) => complaints.push(words.join(" "));
addEventListener("error", event => complaints.push(event.message));
addEventListener("unhandledrejection", event => complaints.push(`${event.reason}`));
"""

# Without a graphics card the processor fills every pixel of every frame: most of the time of a page
# of which no test looks at a picture. All else goes on, matrices and the search under the pointer.
UNDRAWN = """
for (const name of ["drawArrays", "drawArraysInstanced", "drawElements", "drawElementsInstanced"])
  WebGL2RenderingContext.prototype[name] = () => {};
"""
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
needs_chromium = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="the program chromium is not installed"
)


def orange(url: str) -> float:
    """Return the share of the pixels of a data URL that are robot orange."""
    picture = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")
    red, green, blue = np.asarray(picture, dtype=int).transpose(2, 0, 1)
    return float(
        ((red > 120) & (green > 0.25 * red) & (green < 0.65 * red) & (blue < 0.35 * red)).mean()
    )


def fetch(url: str, **headers: str) -> tuple[int, str]:
    """Return status and text of a request."""
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=10
        ) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as err:
        with err:
            return err.code, ""


class Browser:
    """A running Chromium with one tab; ``folder`` holds its profile."""

    def __init__(self, folder: Path) -> None:
        """Start it."""
        command = [
            program(),
            *flags(),
            f"--user-data-dir={folder}",
            "--remote-debugging-port=0",
            "about:blank",
        ]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        port, deadline = folder / "DevToolsActivePort", time.monotonic() + SECONDS
        while not (port.is_file() and port.read_text(encoding="utf-8").count("\n")):
            assert self._process.poll() is None, f"chromium ended with {self._process.returncode}"
            assert time.monotonic() < deadline, "chromium opened no port for its DevTools"
            time.sleep(0.02)
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port.read_text(encoding='utf-8').split()[0]}/json", timeout=10
        ) as answer:
            (self._tab,) = [
                tab["webSocketDebuggerUrl"]
                for tab in json.loads(answer.read())
                if tab["type"] == "page"
            ]

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()

    def evaluate(self, expression: str) -> Any:
        """Evaluate an expression in the page that is open, wait for it if it is a promise, and
        return its value.
        """
        return asyncio.run(self._alone(expression))

    def run(
        self, url: str, script: str, size: tuple[int, int] = (700, 520), drawn: bool = False
    ) -> dict[str, Any]:
        """Load a page, run the body of an async function when ``irb`` is ready, and return what it
        puts into ``report``; the scene is empty unless it is ``drawn``.

        ``report.complaints`` is what the page wrote to its console as warnings and errors, uncaught
        errors included.
        """
        return asyncio.run(asyncio.wait_for(self._page(url, script, size, drawn), SECONDS))

    def visit(self, url: str, use: Callable[[Session], Awaitable[T]], **media: str) -> T:
        """Load a page with media features, as ``prefers_color_scheme="dark"``, wait until ``irb``
        is ready, and return what ``use`` does with the tab: keys, touches, windows of other sizes.
        """
        return asyncio.run(asyncio.wait_for(self._visit(url, use, media), SECONDS))

    def open(self, url: str) -> None:
        """Load a page and return when its scripts have run."""
        asyncio.run(asyncio.wait_for(self._open(url), SECONDS))

    async def _visit(
        self, url: str, use: Callable[[Session], Awaitable[T]], media: dict[str, str]
    ) -> T:
        session = await Session.of(self._tab)
        features = [{"name": name.replace("_", "-"), "value": media[name]} for name in media]
        try:
            await session.resize(1280, 800)
            await session.ask("Emulation.setEmulatedMedia", {"features": features})
            await session.load(url)
            await session.evaluate("irb.ready")
            result = await use(session)
            await session.load("about:blank")
            return result
        finally:
            await session.ask("Emulation.setEmulatedMedia", {"features": []})
            await session.close()

    async def _alone(self, expression: str) -> Any:
        session = await Session.of(self._tab)
        try:
            return await asyncio.wait_for(session.evaluate(expression), SECONDS)
        finally:
            await session.close()

    async def _open(self, url: str) -> None:
        session = await Session.of(self._tab)
        try:
            await session.load(url)
        finally:
            await session.close()

    async def _page(
        self, url: str, script: str, size: tuple[int, int], drawn: bool
    ) -> dict[str, Any]:
        session = await Session.of(self._tab)
        try:
            await session.resize(*size)
            await session.ask("Page.addScriptToEvaluateOnNewDocument", {"source": CONSOLE})
            await session.load(url, drawn)
            body = f"const report = {{}}; {script}\n report.complaints = complaints; return report;"
            report: dict[str, Any] = await session.evaluate(
                f"irb.ready.then(async () => {{ {body} }})"
            )
            await session.load("about:blank")  # a page that is left open goes on drawing
            return report
        finally:
            await session.close()


class Session:
    """One connection to a tab."""

    def __init__(self, connection: WebSocketClientConnection) -> None:
        """Take over an open connection."""
        self._connection = connection
        self._number = 0
        self._events: list[str] = []

    @classmethod
    async def of(cls, tab: str) -> Self:
        """Connect to a tab."""
        return cls(await websocket_connect(tab, max_message_size=2**28))

    async def ask(self, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command and return its result; events that come before it are kept."""
        self._number += 1
        await self._connection.write_message(
            json.dumps({"id": self._number, "method": method, "params": parameters or {}})
        )
        while True:
            message = await self._read()
            if message.get("id") == self._number:
                assert "error" not in message, f"{method}: {message['error']}"
                return dict(message["result"])

    async def load(self, url: str, drawn: bool = False) -> None:
        """Load a page and wait until its scripts have run; the scene is empty unless it is
        ``drawn``.
        """
        await self.ask("Page.enable")
        if not drawn:
            await self.ask("Page.addScriptToEvaluateOnNewDocument", {"source": UNDRAWN})
        self._events.clear()
        await self.ask("Page.navigate", {"url": url})
        while "Page.loadEventFired" not in self._events:
            await self._read()

    async def resize(self, width: int, height: int) -> None:
        """Give the window another size, in pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await self.ask("Emulation.setDeviceMetricsOverride", metrics)

    async def press(self, key: str, modifiers: int = 0) -> None:
        """Press and release a key, with 1 for Alt, 2 for Ctrl, 8 for Shift added up."""
        pressed = {"key": key, "modifiers": modifiers}
        if key in KEYS:
            pressed["windowsVirtualKeyCode"] = KEYS[key]
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 and not modifiers & 2 else None)
        down = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        await self.ask("Input.dispatchKeyEvent", pressed | down)
        await self.ask("Input.dispatchKeyEvent", pressed | {"type": "keyUp"})

    async def touch(self, *points: tuple[float, float]) -> None:
        """Put a finger on the first point, draw it over the others, and lift it."""
        for k, (x, y) in enumerate(points):
            kind = "touchMove" if k else "touchStart"
            await self.ask(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            )
        await self.ask("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    async def evaluate(self, expression: str) -> Any:
        """Return the value of an expression; what it throws fails the test."""
        given = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        result = await self.ask("Runtime.evaluate", given)
        assert "exceptionDetails" not in result, json.dumps(result["exceptionDetails"])[:2000]
        return result["result"].get("value")

    async def close(self) -> None:
        """Close the connection and wait until it is closed."""
        self._connection.close()
        while await self._connection.read_message() is not None:
            pass

    async def _read(self) -> dict[str, Any]:
        message = await self._connection.read_message()
        assert message is not None, "chromium ended"
        answer: dict[str, Any] = json.loads(message)
        self._events.append(answer.get("method", ""))
        return answer
