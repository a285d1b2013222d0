"""A live page: a small server inside this process, so that nothing is left behind when the process ends, however it ends."""

from __future__ import annotations

import base64
import json
import queue
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ..errors import InputError
from .scene import Recorder

PORT = 7000  # the first that is tried
_TRIES = 100
_HEARTBEAT = 5.0  # [s] between signs of life; a page that is gone is noticed then


class Server(Recorder):
    """Serves one page on this machine and sends it what happens; a meshcat window too, so that a scene can be added to."""

    def __init__(self, page: Callable[[list[bytes]], str], port: int = PORT) -> None:
        """Listen on the first free port from ``port`` on; ``page`` makes the page for the commands so far."""
        super().__init__()
        self._page, self._listeners, self._lock = page, list[queue.SimpleQueue[str | None]](), threading.Lock()
        self._http = _listening(self, port)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)

    def start(self) -> None:
        """Answer browsers from now on."""
        self._thread.start()

    def send_raw(self, command: dict[str, Any]) -> None:
        """Keep one meshcat command and send it to every open page."""
        with self._lock:
            super().send_raw(command)
            self._tell({"command": base64.b64encode(self.commands[-1]).decode()})

    def tell(self, event: dict[str, Any]) -> None:
        """Send an event to every open page."""
        with self._lock:
            self._tell(event)

    def close(self) -> None:
        """Stop listening and let open pages go."""
        with self._lock:
            for listener in self._listeners:
                listener.put(None)
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()

    @property
    def listening(self) -> bool:
        """Whether browsers are answered."""
        return self._thread.is_alive()

    def html(self) -> bytes:
        """Return the page as it is now."""
        with self._lock:
            return self._page(self.commands).encode()

    def listen(self) -> queue.SimpleQueue[str | None]:
        """Return a queue that gets every event from now on, and None at the end."""
        listener: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        with self._lock:
            self._listeners.append(listener)
        return listener

    def leave(self, listener: queue.SimpleQueue[str | None]) -> None:
        """Forget a page that is gone."""
        with self._lock:
            self._listeners.remove(listener)

    def _tell(self, event: dict[str, Any]) -> None:
        for listener in self._listeners:
            listener.put(json.dumps(event))


def _listening(server: Server, first: int) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/":
                self._answer("text/html; charset=utf-8", server.html())
            elif self.path == "/events":
                self._stream()
            else:
                self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            """Keep the terminal quiet."""

        def _answer(self, kind: str, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(body)

        def _stream(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            listener = server.listen()
            try:
                while True:
                    try:
                        event = listener.get(timeout=_HEARTBEAT)
                    except queue.Empty:
                        self.wfile.write(b": still here\n\n")
                        continue
                    if event is None:
                        return
                    self.wfile.write(f"data: {event}\n\n".encode())
            except OSError:
                pass  # the page was closed
            finally:
                server.leave(listener)

    class Http(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False
        allow_reuse_address = False

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A page that goes away in the middle of an answer is no news."""

    for port in (*range(first, min(first + _TRIES, 65536)), 0):
        try:
            return Http(("127.0.0.1", port), Handler)
        except OSError:
            continue
    raise InputError("no free port on this machine to show a page on; save one instead (save_page, --save)")
