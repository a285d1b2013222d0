"""What a live page refuses: other users, other sites, other machines, and broken requests."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import multiprocessing
import os
import re
import signal
import socket
import threading
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from headless import fetch, needs_chromium, orange
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import WebSocketError, websocket_connect

import irbmodels as irb
from irbmodels.viewer import http_server

PATTERN = rb"HTTP/1\.[01] (\d{3}) "


@pytest.fixture(scope="module")
def viewer():
    """A page with a robot."""
    with irb.Viewer(irb.load("irb930"), port=26000) as live:
        yield live


def ask(viewer, request: bytes) -> bytes:
    """Return the beginning of what comes back for some bytes: a page has its title there."""
    answer = b""
    with (
        socket.create_connection(("127.0.0.1", port_of(viewer)), timeout=15.0) as link,
        contextlib.suppress(ConnectionError),
    ):
        link.sendall(request)
        while (
            b"<title>" not in answer
            and b"event-stream" not in answer  # it has no end
            and (more := link.recv(65536))
        ):
            answer += more
    return answer


def port_of(viewer) -> int:
    return urlsplit(viewer.url).port


def status(answer: bytes) -> int | None:
    line = re.match(PATTERN, answer)
    return int(line[1]) if line else None


def get(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", *headers, "", ""]).encode("latin-1")


LOCAL = "Host: 127.0.0.1:1"


def bound(viewer) -> set[str]:
    """Return the addresses that this machine's table of sockets has for the port of a page."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in list(table)[1:]]
    listen = [row[1].split(":") for row in rows if row[3] == "0A"]
    return {
        ".".join(map(str, bytes.fromhex(address)[::-1]))
        for address, port in listen
        if int(port, 16) == port_of(viewer)
    }


def test_only_this_machine_is_listened_to_unless_asked(viewer, capsys):
    """By default 127.0.0.1; another address is asked for, with a warning, and still has a token."""
    assert bound(viewer) == {"127.0.0.1"}
    assert viewer.warning == ""
    capsys.readouterr()
    with irb.view(irb.load("irb930"), host="0.0.0.0", port=26100, browser=False) as wide:
        assert bound(wide) == {"0.0.0.0"}
        said, warning = capsys.readouterr().err.splitlines()
        assert wide.url in said
        assert warning == wide.warning
        assert "unencrypted" in warning
        assert urlsplit(wide.url).hostname == socket.gethostname().lower()
        token = wide.server.http.token
        assert status(ask(wide, get(f"/{token}/", "Host: the-robot.example"))) == 200
        assert status(ask(wide, get("/", "Host: the-robot.example"))) == 403
        assert "ssh" not in wide._repr_html_()
        assert wide.warning in wide._repr_html_()
    with irb.Viewer(irb.load("irb930"), host="127.0.0.2", port=26100) as other:
        assert bound(other) == {"127.0.0.2"}
        assert fetch(other.url)[0] == 200
        assert f":127.0.0.2:{port_of(other)} " in other.tunnel
        assert other.warning == ""
    for wrong in ("elsewhere", "::1", "127.0.0.1:80", 7000, "203.0.113.7"):
        with pytest.raises(irb.InputError, match=r"IPv4 address|no address of this machine"):
            irb.Viewer(irb.load("irb930"), host=wrong)


@pytest.mark.parametrize(
    ("path", "headers", "expected"),
    [
        ("/TOKEN/", [LOCAL], 200),
        ("/TOKEN/", ["Host: localhost:1"], 200),
        ("/TOKEN/", [LOCAL, "Origin: http://127.0.0.1:1"], 200),
        ("/", [LOCAL], 403),
        ("/events", [LOCAL], 403),
        ("/WRONG/", [LOCAL], 403),
        ("/WRONG/events", [LOCAL], 403),
        ("/TOKENx/", [LOCAL], 403),
        ("/TOKE/", [LOCAL], 403),
        ("/?TOKEN/", [LOCAL], 403),
        ("/None", [LOCAL], 403),  # there is no ticket
        ("/TOKEN/", [], 403),
        ("/TOKEN/", ["Host: rebound.example:1"], 403),
        ("/TOKEN/", ["Host: 127.0.0.1.rebound.example:1"], 403),
        ("/TOKEN/events", [LOCAL, "Origin: http://foreign.example"], 403),
        ("/TOKEN/events", [LOCAL, "Origin: http://127.0.0.1:8888"], 403),
        ("/TOKEN/", [LOCAL, "Origin: null"], 403),
        ("/../etc/passwd", [LOCAL], 403),
        ("/TOKEN/../../../../etc/passwd", [LOCAL], 404),
        ("/TOKEN/%2e%2e/%2e%2e/etc/passwd", [LOCAL], 404),
        ("/TOKEN//etc/passwd", [LOCAL], 404),
        ("/TOKEN/meshes/irb930", [LOCAL], 404),
        ("http://127.0.0.1/TOKEN/", [LOCAL], 403),
    ],
)
def test_nothing_is_served_without_token_host_and_origin(viewer, path, headers, expected):
    """A page or nothing of it; no path leads to a file."""
    token = viewer.server.http.token
    wrong = "".join(sorted(token, reverse=True))
    assert len(token) >= 22  # 128 bits
    path = path.replace("TOKEN", token).replace("TOKE", token[:-1]).replace("WRONG", wrong)
    answer = ask(viewer, get(path, *headers))
    assert status(answer) == expected
    assert (b"irb930" in answer) == (expected == 200)
    assert token.encode() not in answer or expected == 404
    if expected == 200:
        assert b"Referrer-Policy: no-referrer" in answer
        assert b"default-src 'self' data: blob: 'unsafe-inline';" in answer
        assert b"Cross-Origin-Resource-Policy: same-origin" in answer


def test_two_pages_do_not_know_each_other(viewer):
    """The token of one opens nothing of the other."""
    with irb.Viewer(irb.load("irb930"), port=26000) as other:
        assert port_of(other) != port_of(viewer)
        mixed = viewer.url.replace(f":{port_of(viewer)}", f":{port_of(other)}")
        assert [fetch(url)[0] for url in (viewer.url, other.url, mixed)] == [200, 200, 403]


def test_no_websocket_is_opened(viewer):
    """Nothing can be sent to a page, with or without its token; a foreign origin gets nothing."""

    async def tried(path: str, **headers: str) -> str:
        address = url.replace("http:", "ws:") + path
        request = HTTPRequest(address, headers=headers, connect_timeout=10)
        with pytest.raises((HTTPClientError, WebSocketError)) as refused:
            await websocket_connect(request)
        return str(refused.value)

    url = viewer.url
    assert asyncio.run(tried("")) == "Non-websocket response"
    assert "403" in asyncio.run(tried("", Origin="http://foreign.example"))
    assert "404" in asyncio.run(tried("socket"))


def broken(rng: np.random.Generator, token: str) -> bytes:
    """Return a request with cuts, doubled parts, foreign bytes, or none of a request at all."""
    path = rng.choice([f"/{token}/", f"/{token}/events?from=0", "/", "/" + "a/" * 500])
    text = bytearray(get(path, LOCAL, "Last-Event-ID: 3", "Accept: */*", "Origin: null"))
    for _ in range(int(rng.integers(1, 8))):
        at, length = int(rng.integers(len(text) + 1)), int(rng.integers(1, 40))
        kind = rng.integers(5)
        if kind == 0:
            del text[at : at + length]
        elif kind == 1:
            text[at:at] = rng.bytes(length)
        elif kind == 2:
            text[at:at] = text[at : at + length]
        elif kind == 3:
            text[at:at] = bytes([rng.choice([0, 10, 13, 32, 58, 255])]) * length
        else:
            text[at:at] = b"9" * int(rng.choice([20, 5000]))
    return bytes(text) + b"\r\n\r\n" * bool(rng.integers(4))


def test_broken_and_huge_requests_are_refused(viewer, monkeypatch):
    """They are hung up on or answered by an error, in bounded time; the page goes on."""
    monkeypatch.setattr(http_server, "PATIENCE", 0.2)
    rng, token = np.random.default_rng(11), viewer.server.http.token
    for _ in range(60):
        request = broken(rng, token)
        # an origin stands in each: what hits it may make a page of it
        assert status(ask(viewer, request)) in (None, 200, 400, 403, 404, 414, 431, 501, 505), (
            request
        )
    with monkeypatch.context() as patient:
        patient.setattr(http_server, "PATIENCE", 10.0)
        huge = [
            get("/" + "a" * 10**7, LOCAL),
            get(f"/{token}/", LOCAL, "X: " + "a" * 10**7),
            get(f"/{token}/", LOCAL, *(f"X-{k}: a" for k in range(10**5))),
            b"\0" * 10**7,
        ]
        begin = time.monotonic()
        assert [status(ask(viewer, request)) for request in huge] == [None] * 4
        assert time.monotonic() - begin < 5.0
    body = get(f"/{token}/", LOCAL, "Content-Length: 9999").replace(b"GET", b"POST")
    assert status(ask(viewer, body)) == 501
    assert status(ask(viewer, get(f"/{token}/events?from={'9' * 5000}", LOCAL))) == 200
    without_headers = get(f"/{token}/events", LOCAL).replace(b" HTTP/1.1", b"")
    assert b"Error code: 403" in ask(viewer, without_headers)
    assert fetch(viewer.url)[0] == 200
    until_free(viewer)  # a stream that nobody reads ends, too


def test_slow_connections_are_ended(monkeypatch):
    """Bytes that drip in do not extend the time that a request has."""
    monkeypatch.setattr(http_server, "PATIENCE", 0.5)
    with irb.Viewer(irb.load("irb930"), port=26200) as live:
        begin = time.monotonic()
        with socket.create_connection(("127.0.0.1", port_of(live)), timeout=10) as slow:
            with contextlib.suppress(ConnectionError):
                while time.monotonic() - begin < 8.0:
                    slow.sendall(b"G")
                    time.sleep(0.1)
            assert time.monotonic() - begin < 4.0


def idle(stack, live, address: str = "127.0.0.1") -> socket.socket:
    """Open a connection from an address of this machine, which sends nothing."""
    place = ("127.0.0.1", port_of(live))
    return stack.enter_context(socket.create_connection(place, 20, source_address=(address, 0)))


def ended(link: socket.socket) -> bool:
    """Return whether the server hung up."""
    link.settimeout(0.0)
    try:
        return link.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def test_connections_without_the_token_keep_nobody_out(viewer):
    """Besides 120 of them a page is answered at once, and a stream that was open before goes on."""
    with contextlib.ExitStack() as stack:
        stream = idle(stack, viewer)
        stream.sendall(get(f"/{viewer.server.http.token}/events", LOCAL))
        assert status(stream.recv(65536)) == 200
        links = [idle(stack, viewer) for _ in range(120)]
        begin = time.monotonic()
        assert [fetch(viewer.url)[0] for _ in range(3)] == [200] * 3
        assert time.monotonic() - begin < 0.5 * http_server.PATIENCE
        until_ended(links[: 120 - http_server.CONNECTIONS])
        assert not ended(links[-1])
        assert not ended(stream)
        assert len(viewer.server.http._connections) <= http_server.CONNECTIONS


def until_ended(links) -> None:
    """Wait until the server has hung up on each of some connections."""
    deadline = time.monotonic() + 5.0
    while not all(map(ended, links)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_an_address_with_many_connections_loses_its_own(viewer, monkeypatch):
    """Not the older one of another address; where all have shown the token, the new one is ended."""
    monkeypatch.setattr(http_server, "CONNECTIONS", 4)
    with contextlib.ExitStack() as stack:
        until_free(viewer)
        alone = idle(stack, viewer, "127.0.0.2")
        many = [idle(stack, viewer) for _ in range(5)]
        until_ended(many[:2])
        assert not any(map(ended, [alone, *many[2:]]))
    with contextlib.ExitStack() as stack:
        until_free(viewer)
        for _ in range(4):
            link = idle(stack, viewer)
            link.sendall(get(f"/{viewer.server.http.token}/events", LOCAL))
            assert status(link.recv(65536)) == 200
        until_ended([idle(stack, viewer)])
        assert not ended(link)


def until_free(viewer) -> None:
    """Wait until a page has no connection."""
    deadline = time.monotonic() + 30.0
    while viewer.server.http._connections:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def sleeper(pipe) -> None:
    """Outlive the process that a page belongs to."""
    pipe.send(os.getpid())
    time.sleep(60)


def forking(pipe) -> None:
    """Show a page, fork, and wait to be killed."""
    live = irb.Viewer(irb.load("irb930"), port=26300)
    context = multiprocessing.get_context("fork")
    mine, its = context.Pipe()
    context.Process(target=sleeper, args=(its,)).start()
    pipe.send((port_of(live), mine.recv()))
    time.sleep(60)


def test_a_forked_child_does_not_keep_the_port():
    """With the process of a page killed, a child that it forked holds none of its sockets."""
    context = multiprocessing.get_context("spawn")
    mine, its = context.Pipe()
    process = context.Process(target=forking, args=(its,))
    process.start()
    assert mine.poll(60)
    port, child = mine.recv()
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
        process.kill()
        process.join()
        os.kill(child, 0)  # it lives
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=5)
    finally:
        os.kill(child, signal.SIGKILL)


class Foreign(http.server.BaseHTTPRequestHandler):
    """A site of another origin."""

    def do_GET(self):
        """Answer with the same page at every address."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>foreign</title><p>a notebook")

    def log_message(self, *_):
        """Keep quiet."""


TRY = """(async () => {
  const url = %r, tried = async ask => { try { return await ask(); } catch (error) { return error.name; } };
  const events = () => new Promise(done => {
    const source = new EventSource(url + "events");
    source.onopen = () => done("open");
    source.onerror = () => { source.close(); done("refused"); };
  });
  const script = () => new Promise(done => {
    const tag = document.createElement("script");
    Object.assign(tag, { src: url, onload: () => done("loaded"), onerror: () => done("refused") });
    document.body.append(tag);
  });
  const frame = () => new Promise(done => {
    const tag = document.createElement("iframe");
    Object.assign(tag, { src: url, onload: () => done("loaded") });
    document.body.append(tag);
  });
  return { fetch: await tried(async () => (await fetch(url)).status), events: await events(), script: await script(), frame: await frame() };
})()"""


@needs_chromium
def test_a_browser_shows_a_page_and_a_frame_of_it_and_no_more(viewer, browser, monkeypatch):
    """A picture of the robot at its address, with no complaint about the policy and nothing asked
    for that is refused, as an icon; the page of another origin may frame it, as a notebook does,
    and reads nothing.
    """
    refused, send_error = [], http_server._Handler.send_error
    monkeypatch.setattr(
        http_server._Handler,
        "send_error",
        lambda self, code: (refused.append((self.path, code)), send_error(self, code)),
    )
    shown = browser.run(
        viewer.url,
        "viewer.renderer.render(viewer.scene, viewer.camera);"
        ' report.picture = document.querySelector("#scene canvas").toDataURL();',
        drawn=True,
    )
    assert shown["complaints"] == []
    assert refused == []
    assert orange(shown["picture"]) > 0.01
    with (
        irb.Viewer(irb.load("irb930"), port=26400) as framed,
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign) as site,
    ):
        threading.Thread(target=site.serve_forever, daemon=True).start()
        browser.open(f"http://127.0.0.1:{site.server_address[1]}/")
        report = browser.evaluate(TRY % framed.url)
        deadline = time.monotonic() + 30.0
        while not framed.server.http._connections and time.monotonic() < deadline:
            time.sleep(0.05)
        assert framed.server.http._connections  # the frame's own stream: its scripts have run
        browser.open("about:blank")
        site.shutdown()
    assert report == {
        "fetch": "TypeError",
        "events": "refused",
        "script": "refused",
        "frame": "loaded",
    }
