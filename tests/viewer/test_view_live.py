"""The live page, and what is left behind (nothing)."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from headless import fetch, needs_chromium

import irbmodels as irb
from irbmodels.viewer.live import Server


def first_events(url, count, **headers):
    """Return the first events of a stream."""
    events, deadline = [], time.monotonic() + 15.0
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as stream:
        while len(events) < count:
            # signs of life keep the stream open for ever
            assert time.monotonic() < deadline, f"heard only {events}"
            line = stream.readline()
            if line.startswith(b"data: "):
                events.append(json.loads(line[6:]))
    return events


def test_a_live_page_hears_all_that_came_after_it():
    """Between page and stream nothing is lost; the newest posture counts; a page opened later shows
    the same.
    """
    import meshcat.geometry as geometry

    robot = irb.load("irb1600")
    with irb.view(robot, browser=False) as viewer:
        _, page = fetch(viewer.url)
        stream = viewer.url + re.search(r'"events": "([^"]*)"', page)[1]
        viewer.scene["workpiece"].set_object(geometry.Box([0.1, 0.1, 0.1]))
        viewer.show(np.full(6, 0.3))
        viewer.show(np.full(6, 0.1), np.int64(0))
        box, posture = first_events(stream, 2)
        assert b"workpiece" in base64.b64decode(box["command"])
        assert posture == {"actor": 0, "q": [0.1] * 6}
        threading.Timer(0.2, lambda: viewer.show(np.full(6, 0.2))).start()
        assert first_events(stream, 1, **{"Last-Event-ID": str(viewer.server.number)}) == [
            {"actor": 0, "q": [0.2] * 6}
        ]
        _, later = fetch(viewer.url)
        assert '"q": [0.2, 0.2, 0.2, 0.2, 0.2, 0.2]' in later
        for wrong in (([0.0] * 5, 0), ([np.nan] * 6, 0), ([0.0] * 6, 1)):
            with pytest.raises(irb.InputError):
                viewer.show(*wrong)
        assert fetch(viewer.url + "?again")[0] == 200
    assert not viewer.server.listening
    viewer.close()
    with pytest.raises(irb.InputError, match="closed"):
        viewer.show(np.zeros(6))
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(viewer.url, timeout=2)


def test_a_scene_that_changes_for_long_does_not_grow():
    """Of each node only the newest command is kept, and what is deleted goes with all below it."""
    import meshcat.geometry as geometry

    with irb.view(irb.load("irb930"), browser=False) as viewer:
        before = len(viewer.server.commands)
        viewer.scene["part/left"].set_object(geometry.Box([0.1, 0.1, 0.1]))
        for k in range(50):
            viewer.scene["part/left"].set_transform(np.diag([1.0, 1.0, 1.0, 1.0]) * (k + 1.0))
        assert len(viewer.server.commands) == before + 2
        viewer.scene["part"].delete()
        assert len(viewer.server.commands) == before + 1
        viewer.scene["parting"].set_object(geometry.Sphere(0.1))
        viewer.scene["part"].delete()
        assert any(b"parting" in command for command in viewer.server.commands)


def test_a_taken_port_is_left_alone():
    """Where somebody listens on 7000, the page goes elsewhere; two views have two addresses."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 7000))
            taken.listen()
        except OSError:
            pass  # somebody else has it, which is as good
        servers = [Server(lambda server: "") for _ in range(2)]
        addresses = {server.url for server in servers}
        for server in servers:
            server.close()
    assert len({port_of(url) for url in addresses} - {7000}) == 2


def port_of(url: str) -> int:
    return urllib.parse.urlsplit(url).port


def listening(url: str) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port_of(url))) == 0


# a shell, where the terminal is closed or the editor around it is killed
PARENT = "import subprocess, sys; subprocess.run(sys.argv[1:])"


@pytest.mark.parametrize("nohup", [False, True])
def test_killing_the_parent_of_the_command_frees_its_port(nohup):
    """Nobody is left on a port when the program that started `irbmodels view` is killed; ``nohup``
    asks to stay.
    """
    port = str(np.random.default_rng(5 + nohup).integers(20000, 50000))
    command = [sys.executable, "-m", "irbmodels.cli", "view", "irb1600", "--port", port]
    deaf = partial(signal.signal, signal.SIGHUP, signal.SIG_IGN if nohup else signal.SIG_DFL)
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=deaf,
    ) as parent:
        url = parent.stdout.readline().split()[-1]
        (child,) = subprocess.check_output(["pgrep", "-P", str(parent.pid)], text=True).split()
        parent.kill()
        parent.wait(timeout=20)
        time.sleep(2.0 if nohup else 0.0)  # four times as long as it needs to notice
        if nohup:
            assert listening(url)
            os.kill(int(child), signal.SIGTERM)
        until(lambda: not listening(url))


@pytest.mark.parametrize(
    ("end", "host"),
    [
        (signal.SIGTERM, "127.0.0.1"),
        (signal.SIGINT, "127.0.0.1"),
        (signal.SIGKILL, "127.0.0.1"),
        (signal.SIGTERM, "0.0.0.0"),
    ],
)
def test_ending_the_command_ends_its_server(end, host):
    """However `irbmodels view` ends, nobody listens any more and no process is left."""
    # its own: other tests listen on 7000
    port = str(np.random.default_rng(end).integers(20000, 50000))
    command = [sys.executable, "-m", "irbmodels.cli", "view", "irb1600", "--port", port]
    command += [] if host == "127.0.0.1" else ["--host", host]
    blind = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": blind}
    # a shell's background jobs are deaf to Ctrl-C
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with (
        subprocess.Popen(command, **pipes, preexec_fn=heard) as process,
        contextlib.ExitStack() as stack,
    ):
        stack.callback(process.kill)  # else a test that fails would wait for it for ever
        url = process.stdout.readline().split()[-1]
        assert listening(url)
        children = subprocess.run(
            ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False
        ).stdout
        assert not children.split()  # the server lives in the process itself
        elsewhere = process.stderr.readline()
        number = port_of(url)
        if host == "127.0.0.1":
            assert f": ssh -L {number}:127.0.0.1:{number} {socket.gethostname()} (" in elsewhere
        else:
            assert elsewhere.startswith("warning: this page goes through the network")
        assert "Ctrl-C" in process.stderr.readline()
        process.send_signal(end)
        process.wait(timeout=20)
        assert (
            process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGKILL: -9}[end]
        )
    assert not listening(url)


@pytest.mark.parametrize("ending", ["", "raise ValueError('stop')", "import sys; sys.exit(3)"])
def test_a_script_that_forgets_to_close_leaves_nothing(ending):
    """A script may end, fail or exit with an open view; it ends at once and its server with it."""
    start = f"v = irb.view(irb.load('irb930'), port={51000 + 100 * len(ending)}, browser=False)"
    code = f"import irbmodels as irb; {start}; print(v.url, flush=True); {ending}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == {"": 0, "r": 1, "i": 3}[ending[:1]]
    assert not listening(done.stdout.split()[0])


def test_a_view_says_where_it_is(monkeypatch, capsys):
    """Address and ``wait`` on stderr, a tunnel where there is no browser; in a notebook a frame
    instead; closed is closed.
    """
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    robot = irb.load("irb930")
    with irb.view(robot, irb.Actor(robot, name="R & D")) as viewer:
        log, names = capsys.readouterr(), "irb930_12_105, R & D"
        number = port_of(viewer.url)
        where, elsewhere = log.err.splitlines()
        assert (
            where
            == f"showing {names} at {viewer.url} until this program ends (.wait() keeps it running)"
        )
        assert f"ssh -L {number}:127.0.0.1:{number} {socket.gethostname()}" in elsewhere
        assert log.out == ""
        assert opened == []
        assert repr(viewer) == f"<Viewer of {names} at {viewer.url}>"
        frame = viewer._repr_html_()
        assert f'<iframe title="irb930_12_105, R &amp; D" src="{viewer.url}"' in frame
        assert f'<a href="{viewer.url}"' in frame
        assert f"ssh -L {number}:127.0.0.1:{number}" in frame
    assert repr(viewer) == f"<Viewer of {names}, closed>"
    assert viewer._repr_html_() == "<p>&lt;Viewer of irb930_12_105, R &amp; D, closed&gt;</p>"
    viewer.wait()  # at once
    monkeypatch.setenv("DISPLAY", ":0")
    assert not viewer.open()  # no tab on what is closed
    for browser, count in ((None, 1), (False, 0), (True, 1)):
        with irb.view(robot, browser=browser) as viewer:
            assert len(opened) == count
            for ticket in opened:  # it stands in a command line, which every user can read
                assert viewer.server.http.token not in ticket
                assert [fetch(ticket)[0] for _ in range(2)] == [200, 403]
            assert len(capsys.readouterr().err.splitlines()) == 1
        opened.clear()
    monkeypatch.setitem(
        sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=None))
    )
    with irb.view(robot):
        assert opened == []
        assert capsys.readouterr().err == ""


def test_a_script_that_waits_keeps_its_page():
    """``wait`` ends with Ctrl-C, the script goes on, and nobody listens any more; or with a close
    from another thread.
    """
    code = (
        "import irbmodels as irb; irb.view(irb.load('irb930'), port=52300, browser=False).wait();"
        " print('after')"
    )
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "preexec_fn": heard,
    }
    with (
        subprocess.Popen([sys.executable, "-c", code], **pipes) as process,
        contextlib.ExitStack() as stack,
    ):
        stack.callback(process.kill)
        url = re.search("http://[^ ]+/", process.stderr.readline())[0]
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1.0)
        assert listening(url)
        process.send_signal(signal.SIGINT)
        printed, log = process.communicate(timeout=20)
        assert (process.returncode, printed) == (0, "after\n")
        assert "Traceback" not in log
    assert not listening(url)
    with irb.view(irb.load("irb930"), browser=False) as viewer:
        threading.Timer(0.2, viewer.close).start()
        viewer.wait()
        assert not viewer.server.listening


def test_a_notebook_shows_motions():
    """The rich display of an actor with its motion is its page in a frame; the plain one stays the
    short text.
    """
    from html import unescape

    from IPython.core.formatters import DisplayFormatter

    robot = irb.load("irb930")
    motion = irb.Motion(np.array([0.0, 1.25]), np.zeros((2, robot.n)))
    shown = irb.Actor(robot, motion=motion, name="R & D")
    formats, _ = DisplayFormatter().format(shown)
    assert formats["text/plain"] == repr(shown)
    frame = formats["text/html"]
    assert frame.startswith('<iframe title="R &amp; D"')
    start = frame.index('srcdoc="') + len('srcdoc="')
    inside = unescape(frame[start : frame.index('"', start)])
    assert inside.startswith("<!DOCTYPE html>")
    assert "MeshCat" in inside
    data = json.loads(re.search(r'{"commands".*}', inside)[0])
    assert (data["actors"][0]["motion"] or {}).get("samples") == 2


def until(ask, seconds=30.0):
    """Ask until there is an answer."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if actual := ask():
                return actual
        except (OSError, ValueError):
            pass
        time.sleep(0.1)
    raise AssertionError("no answer in time")


@needs_chromium
def test_an_open_page_follows_what_python_shows(browser):
    """In a real browser the sliders of an open page go where viewer.show puts the robot, without a
    reload.
    """
    robot = irb.load("irb2400")
    with irb.view(robot, browser=False, port=23000) as viewer:
        browser.open(viewer.url)
        assert browser.evaluate("irb.ready.then(() => irb.actors[0].q)") == [0.0] * 6
        q = robot.from_controller([10, 30, 20, 40, 50, 60])
        viewer.show(q)
        assert until(lambda: browser.evaluate("irb.actors[0].q[0]"))
        pose = browser.evaluate("irb.pose('link_rod')")
        fields = browser.evaluate(
            "[...document.querySelectorAll('.axis input[type=number]')].map(f => Number(f.value))"
        )
        viewer.close()
        gone = until(
            lambda: browser.evaluate("document.getElementById('notes-of-page').textContent")
        )
    np.testing.assert_allclose(pose, robot.pose(q, "link_rod").homogeneous, atol=1e-9)
    assert fields == [10, 30, 20, 40, 50, 60]
    assert gone == "no longer connected: the program that showed this page has ended or closed it"
