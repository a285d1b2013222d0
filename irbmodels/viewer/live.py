"""Live page: a small server inside this process, which ends with it.

The state of the page is the newest command per node and the newest posture per robot, each with a
number. A page that opens now is made from it; an open one asks for newer events than its last, so
that none is lost.
"""

from __future__ import annotations

import base64
import os
import threading
from collections.abc import Callable
from typing import Any

from ..errors import InputError
from .http_server import LOOPBACK, HttpServer
from .meshcat_window import Window

PORT = 7000  # the first that is tried
_HEARTBEAT = 5.0  # [s] between signs of life; a page that is gone is noticed then


class Server(Window):
    """Serves one page and sends it events; objects can be added by meshcat."""

    def __init__(
        self, page: Callable[[Server], str], port: int = PORT, host: str = LOOPBACK
    ) -> None:
        """Listen on the first free port from ``port`` on; ``page`` returns the current page."""
        self._events: dict[tuple[str, ...], tuple[int, dict[str, Any]]] = {}
        self._changed, self._number, self._open = threading.Condition(), 0, True
        self._page = page
        self.http = HttpServer(self.html, self.newer, port, host)
        # an old tab is not to hear of another robot
        self.url = f"{self.http.origin}/{self.http.token}/"
        self._thread = threading.Thread(
            target=self.http.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True
        )

    def start(self) -> None:
        """Answer browsers from now on."""
        self._thread.start()

    @property
    def listening(self) -> bool:
        """True while browsers are answered."""
        return self._thread.is_alive()

    @property
    def commands(self) -> list[bytes]:
        """The meshcat commands that make the scene as it is."""
        with self._changed:
            return [
                base64.b64decode(event["command"])
                for _, event in self._since(0)
                if "command" in event
            ]

    @property
    def number(self) -> int:
        """Number of the newest event."""
        return self._number

    def posture(self, actor: int) -> list[float] | None:
        """Return the newest posture of a robot, or None."""
        event = self._events.get(("q", str(actor)))
        return None if event is None else list(event[1]["q"])

    def send_raw(self, command: dict[str, Any]) -> None:
        """Keep one meshcat command and send it to every open page."""
        import umsgpack

        kind, path = str(command["type"]), str(command.get("path", ""))
        key = (kind, path, str(command.get("property", "")))
        with self._changed:
            if kind == "delete":
                below = path.rstrip("/") + "/"
                gone = [
                    other
                    for other in self._events
                    if other[0] != "q" and (other[1].rstrip("/") + "/").startswith(below)
                ]
                for other in gone:
                    del self._events[other]
            self._publish(key, {"command": base64.b64encode(umsgpack.packb(command)).decode()})

    def show(self, actor: int, q: list[float]) -> None:
        """Send a posture to every open page.

        Raises:
            InputError: if the server is closed.
        """
        with self._changed:
            if not self._open:
                raise InputError("this view is closed")
            self._publish(("q", str(actor)), {"actor": actor, "q": q})

    def wait(self, parent: int | None = None) -> None:
        """Wait until another thread closes the server, or until the parent of that id ends."""
        while self.listening and parent in (None, os.getppid()):
            self._thread.join(timeout=0.5)  # without an end it would be deaf to Ctrl-C on Windows

    def close(self) -> None:
        """Stop listening, and end the streams of open pages."""
        with self._changed:
            self._open = False
            self._changed.notify_all()
        if self._thread.is_alive():
            self.http.shutdown()
            self._thread.join()
        self.http.server_close()

    def html(self) -> bytes:
        """Return the page as it is now."""
        with self._changed:
            return self._page(self).encode()

    def newer(self, number: int) -> list[tuple[int, dict[str, Any]]] | None:
        """Wait for events newer than ``number`` and return them, none after a while.

        None when the server closes.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._number > number or not self._open, timeout=_HEARTBEAT
            )
            return self._since(number) if self._open else None

    def _since(self, number: int) -> list[tuple[int, dict[str, Any]]]:
        return sorted(
            (entry for entry in self._events.values() if entry[0] > number),
            key=lambda entry: entry[0],
        )

    def _publish(self, key: tuple[str, ...], event: dict[str, Any]) -> None:
        self._number += 1
        self._events[key] = (self._number, event)
        self._changed.notify_all()
