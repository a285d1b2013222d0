"""HTTP server of a live page: one secret address, which is read and never written to.

It answers GET of the page and of its stream of events. Nothing that is sent to it reaches a robot
or a file: it opens no file, runs no command, takes no body and no websocket.
"""

from __future__ import annotations

import errno
import io
import json
import os
import secrets
import socket
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from socketserver import TCPServer
from typing import Any

from ..errors import InputError

LOOPBACK = "127.0.0.1"
CONNECTIONS = 64  # at once, each a thread; a browser opens up to six per page
HEAD = 65_536  # [bytes] of a request; a browser adds the cookies of all ports here, as Jupyter's
PATIENCE = 10.0  # [s] for a whole head to arrive, and for a page to read what it is sent
_TRIES = 100  # ports
_HEADERS = {
    "Cache-Control": "no-store",
    # the page is one file: what a robot's name or mesh may smuggle in reaches no other host
    "Content-Security-Policy": "default-src 'self' data: blob: 'unsafe-inline'; base-uri 'none';"
    " form-action 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",  # it would give the token away
    "X-Content-Type-Options": "nosniff",
}

Event = dict[str, Any]


class HttpServer(ThreadingHTTPServer):
    """Listens on one port, and answers only requests that know its token."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = False
    request_queue_size = CONNECTIONS

    def __init__(
        self,
        page: Callable[[], bytes],
        newer: Callable[[int], list[tuple[int, Event]] | None],
        port: int,
        host: str = LOOPBACK,
    ) -> None:
        """Listen on the first free port from ``port`` on.

        Args:
            page: Returns the current page.
            newer: Waits for events newer than a number; none after a while, None at the end.
            port: First to try.
            host: IPv4 address to listen on.

        Raises:
            InputError: if the address is none of this machine, or no port is free.
        """
        self.page, self.newer, self.token = page, newer, secrets.token_urlsafe(16)  # 128 bits
        self._ticket: str | None = None
        # oldest first, each with its address until it shows the token
        self._connections: dict[Any, str | None] = {}
        address = _checked(host)
        self.loopback, self.host = address.is_loopback, str(address)
        for number in (*range(port, min(port + _TRIES, 65536)), 0):
            try:
                super().__init__((self.host, number), _Handler)
                break
            except OSError as error:
                if error.errno == errno.EADDRNOTAVAIL:
                    raise InputError(
                        f"host {host} is no address of this machine; 0.0.0.0 is all that it has"
                    ) from error
        else:
            raise InputError(
                "no free port on this machine to show a page on; save one instead (save_page,"
                " --save)"
            )
        _servers.add(self)

    @property
    def origin(self) -> str:
        """Scheme, host and port, without the token."""
        name = socket.gethostname() if self.host == "0.0.0.0" else self.host
        return f"http://{name}:{self.server_address[1]}"

    def ticket(self) -> str:
        """Return an address that leads to the page once; the one before becomes void.

        A browser gets its address as an argument, and those of all processes are public on a
        machine.
        """
        self._ticket = secrets.token_urlsafe(16)
        return f"{self.origin}/{self._ticket}"

    def redeem(self, path: str) -> bool:
        """Return whether this is the path of the ticket, which is void then."""
        ticket, wanted = self._ticket, path.removeprefix("/")
        if ticket is None or not _same(ticket, wanted):
            return False
        self._ticket = None
        return True

    def server_bind(self) -> None:
        """Bind, without asking the network for this machine's name as ``HTTPServer`` does."""
        TCPServer.server_bind(self)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread.

        Where there are too many connections, hang up on the oldest that has not shown the token, of
        the address with most of these; where all have shown it, on the new one.
        """
        self._connections[request] = client_address[0]
        if len(self._connections) > CONNECTIONS:
            idle = [(one, peer) for one, peer in self._connections.copy().items() if peer]
            peers = [peer for _, peer in idle[:-1]]  # on one machine all have one address
            most = max(peers, key=peers.count, default=client_address[0])
            oldest = next(one for one, peer in idle if peer == most)
            self._connections.pop(oldest, None)
            with suppress(OSError):  # it may have ended by itself
                oldest.shutdown(socket.SHUT_RDWR)  # its thread wakes, and closes it
        super().process_request(request, client_address)

    def admit(self, request: Any) -> None:
        """Keep a connection that has shown the token."""
        if request in self._connections:
            self._connections[request] = None

    def shutdown_request(self, request: Any) -> None:
        """End a connection."""
        self._connections.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that goes away in the middle of an answer is no news."""

    def forget(self) -> None:
        """Let go of all sockets in a forked child, which would keep them after its parent died."""
        self.socket.close()
        for connection in tuple(self._connections):
            connection.close()


class _Handler(BaseHTTPRequestHandler):
    server: HttpServer
    server_version, sys_version = "irbmodels", ""
    timeout = PATIENCE

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.rfile = io.BytesIO(_head(self.connection))

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        secret, _, rest = path.removeprefix("/").partition("/")
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        names = (self.server.host, "localhost")
        named_here = not self.server.loopback or host.partition(":")[0] in names
        # another site may let its name point here, or ask from its page; a frame has no origin
        foreign = not named_here or origin not in (None, f"http://{host}")
        if foreign or self.request_version == "HTTP/0.9":  # its answers have no headers
            self.send_error(403)
        elif self.server.redeem(path):
            self._head_of(302, Location=f"/{self.server.token}/")
        elif not _same(secret, self.server.token):
            self.send_error(403)
        else:
            self.server.admit(self.connection)
            self._answer(rest, query)

    def _answer(self, rest: str, query: str) -> None:
        """Answer who knows the token: page, events, or 404."""
        if rest == "":
            page = self.server.page()
            self._head_of(
                200, **{"Content-Type": "text/html; charset=utf-8", "Content-Length": len(page)}
            )
            self.wfile.write(page)
        elif rest == "events":
            self._stream(self.headers.get("Last-Event-ID") or query.removeprefix("from="))
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the terminal quiet."""

    def _head_of(self, status: int, **headers: object) -> None:
        self.send_response(status)
        for name, value in (_HEADERS | headers).items():
            self.send_header(name, str(value))
        self.end_headers()

    def _stream(self, known: str) -> None:
        self._head_of(200, **{"Content-Type": "text/event-stream"})
        number = int(known) if known.isdecimal() else 0
        while (events := self.server.newer(number)) is not None:
            for number, event in events:
                self.wfile.write(f"id: {number}\ndata: {json.dumps(event)}\n\n".encode())
            if not events:
                self.wfile.write(b": still here\n\n")


def _checked(host: str) -> IPv4Address:
    try:
        return IPv4Address(str(host))
    except ValueError as error:
        raise InputError(
            f"host {host!r} is no IPv4 address such as {LOOPBACK} (this machine alone) or 0.0.0.0"
            " (every network that it is in)"
        ) from error


def _same(one: str, other: str) -> bool:
    """Compare secrets in a time that does not tell how much of them is right."""
    return secrets.compare_digest(one.encode(), other.encode())


def _head(connection: socket.socket) -> bytes:
    """Return a request up to its blank line, or nothing where that is late or far."""
    head, end = b"", time.monotonic() + PATIENCE
    while b"\r\n\r\n" not in head:
        connection.settimeout(max(end - time.monotonic(), 1e-3))
        more = connection.recv(HEAD - len(head))
        if not more:  # the end, or the limit
            return b""
        head += more
    connection.settimeout(PATIENCE)
    return head


_servers: weakref.WeakSet[HttpServer] = weakref.WeakSet()


def _forget_all() -> None:
    for server in tuple(_servers):
        server.forget()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_forget_all)
