"""Robots in 3D, in the controller's axes: a live page, one HTML file, a picture."""

from __future__ import annotations

import html
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, as_int, as_list, finite
from ..errors import InputError, UnknownName
from ..files import write_text
from ..robot.robot import Robot
from ..trajectory import Motion
from ..trajectory.motion_files import MotionFile
from .actor import LAYERS, Actor, SceneActor, check_actor

NO_SCREEN = "no screen or browser here; type this on a machine with one, and open the address there"

__all__ = ["LAYERS", "Actor", "Viewer", "save_page", "save_picture", "view"]


class Viewer:
    """A live page.

    ``show`` moves a robot on it; close it when done, or use it as a context manager.

    The page ends with this process: :meth:`wait` keeps a script from ending. A notebook shows the
    page in a frame.
    """

    def __init__(
        self,
        *robots: Robot | Actor,
        layers: Sequence[str] = (),
        port: int | None = None,
        host: str | None = None,
    ) -> None:
        """Start a server in this process, on the first free port from ``port`` (7000) on.

        ``host`` is the IPv4 address to listen on, by default 127.0.0.1: this machine alone.
        """
        # servers, pages and browsers are imported where they are used: few need them
        from .http_server import LOOPBACK
        from .live import PORT, Server
        from .page import page_html
        from .scene import camera, put_scene

        if port is not None and not (isinstance(port, int) and 1024 <= port <= 65535):
            raise InputError(f"port {port!r} is not a number from 1024 to 65535")
        self.actors = _check_actors(robots, layers)
        data: list[dict[str, Any]] = []
        view = camera(self.actors)

        def page(server: Server) -> str:
            now = [
                entry | {"q": server.posture(number) or entry["q"]}
                for number, entry in enumerate(data)
            ]
            events = f"events?from={server.number}"
            return page_html(server.commands, now, view, layers, events=events)

        self.server = Server(page, port or PORT, host or LOOPBACK)
        try:
            data += put_scene(self.server, self.actors)
            self.server.start()
        except BaseException:
            self.server.close()
            raise

    @property
    def url(self) -> str:
        """Address to open in a browser; who does not know it sees nothing."""
        return self.server.url

    @property
    def scene(self) -> Any:
        """The ``meshcat.Visualizer`` of the page, to add objects of one's own."""
        import meshcat

        return meshcat.Visualizer(window=self.server)

    @property
    def names(self) -> str:
        """Titles of the robots on the page, in one line."""
        return ", ".join(actor.name for actor in self.actors)

    @property
    def tunnel(self) -> str:
        """Command that brings the page to another machine, when typed there."""
        import socket

        port = self.server.http.server_address[1]
        return f"ssh -L {port}:{self.server.http.host}:{port} {socket.gethostname()}"

    @property
    def warning(self) -> str:
        """Line that says who else can see the page; empty where it is this machine alone."""
        if self.server.http.loopback:
            return ""
        return (
            "warning: this page goes through the network, unencrypted; whoever has its address"
            " sees it"
        )

    def show(self, q: ArrayLike, actor: int = 0) -> None:
        """Show one posture [rad, m], shape ``(n,)``, of the robot with this number.

        Raises:
            InputError: if there is no such robot, its posture has another shape or is not finite,
                or the view is closed.
        """
        number = as_int(actor, "the number of a robot on this page", 0, len(self.actors) - 1)
        position = finite(q, (self.actors[number].robot.n,), "q")
        self.server.show(number, position.tolist())

    def open(self) -> bool:
        """Open the page in this machine's browser.

        False where there is no screen or no browser, or the view is closed.
        """
        import webbrowser

        return self.server.listening and _screen() and webbrowser.open(self.server.http.ticket())

    def wait(self) -> None:
        """Keep the page until Ctrl-C, which closes it, or until another thread closes it."""
        try:
            self.server.wait()
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Stop the server."""
        self.server.close()

    def __repr__(self) -> str:
        return (
            f"<Viewer of {self.names}{f' at {self.url}' if self.server.listening else ', closed'}>"
        )

    def _repr_html_(self) -> str:
        """Return address and page in a frame, for a notebook with access to this machine."""
        if not self.server.listening:
            return f"<p>{html.escape(repr(self))}</p>"
        link = f'<a href="{self.url}" target="_blank">{self.url}</a>'
        where = (
            f"<p>{link} on the machine of the kernel; to reach it from another:"
            f" <code>{html.escape(self.tunnel)}</code></p>"
            if self.server.http.loopback
            else f"<p>{link}; {self.warning}</p>"
        )
        style = "width: 100%; height: 560px; border: 0"
        return (
            f'{where}<iframe title="{html.escape(self.names)}" src="{self.url}"'
            f' style="{style}"></iframe>'
        )

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def view(
    *robots: Robot | Actor,
    q: ArrayLike | None = None,
    motion: Motion | MotionFile | None = None,
    layers: Sequence[str] = (),
    port: int | None = None,
    host: str | None = None,
    browser: bool | None = None,
) -> Viewer:
    """Show robots in a browser, with a slider per axis, layers, and motions with torques.

    The address is printed on stderr, except in a notebook, which shows the returned viewer as a
    frame. The page ends with this process: a script calls :meth:`Viewer.wait` at its end.

    Args:
        robots: Any robots; an :class:`Actor` adds base pose, motion, opacity and title.
        q: Posture of a single robot [rad, m], shape ``(n,)``; default all zero.
        motion: Motion of a single robot.
        layers: What to show besides: any of ``frames, axes, com, ellipsoids, boxes, trace, hulls,
            torques``.
        port: First port to try; default 7000.
        host: IPv4 address to listen on, as 0.0.0.0 for every network of this machine, with a
            warning; default 127.0.0.1, this machine alone.
        browser: Whether to open this machine's browser, where there is a screen; default everywhere
            but in a notebook.

    Meshes that are not there or cannot be read, and shapes without sizes, are left out; a warning
    and the page name them.

    Raises:
        UnknownName: if there is no such layer.
    """
    viewer = Viewer(*_to_actors(robots, q, motion), layers=layers, port=port, host=host)
    notebook = _in_notebook()
    seen = viewer.open() if browser or (browser is None and not notebook) else _screen()
    if not notebook:
        print(
            f"showing {viewer.names} at {viewer.url} until this program ends (.wait() keeps it"
            " running)",
            file=sys.stderr,
        )
        if viewer.warning:
            print(viewer.warning, file=sys.stderr)
        elif not seen:
            print(f"{NO_SCREEN}: {viewer.tunnel}", file=sys.stderr)
    return viewer


def save_page(
    path: str | Path,
    *robots: Robot | Actor,
    q: ArrayLike | None = None,
    motion: Motion | MotionFile | None = None,
    layers: Sequence[str] = (),
    controls: bool = True,
) -> None:
    """Write one HTML file that shows robots in any browser and without a network.

    Arguments as :func:`view`.

    Args:
        path: File to write, .html.
        robots: Any robots or actors.
        q: Posture of a single robot.
        motion: Motion of a single robot.
        layers: What to show besides.
        controls: Whether the page has sliders, layers and player.

    Raises:
        InputError: if the name does not end in .html.
        UnknownName: if there is no such layer.
        FileError: if the file cannot be written; then nothing is.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> irb.save_page("irb2400.html", robot)
    """
    if not isinstance(path, str | Path) or Path(path).suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: the name of a page ends in .html")
    from .page import page_of

    actors = _check_actors(_to_actors(robots, q, motion), layers)
    write_text(path, page_of(actors, layers, controls=controls))


def save_picture(
    path: str | Path,
    *robots: Robot | Actor,
    q: ArrayLike | None = None,
    motion: Motion | MotionFile | None = None,
    layers: Sequence[str] = (),
    controls: bool = False,
    size: tuple[int, int] = (900, 700),
) -> None:
    """Write a PNG picture, drawn by Chromium without a window; arguments as :func:`save_page`.

    Raises:
        InputError: if the name does not end in .png.
        MissingProgram: if there is no Chromium.
        FileError: if the file cannot be written; then nothing is.
    """
    if not isinstance(path, str | Path) or Path(path).suffix.lower() != ".png":
        raise InputError(f"{path}: the name of a picture ends in .png")
    if np.shape(size) != (2,) or not all(
        isinstance(pixels, int | np.integer) and 120 <= pixels <= 8192 for pixels in size
    ):
        raise InputError(f"a picture is from 120 x 120 to 8192 x 8192 pixels, not {size!r}")
    import tempfile

    from .browser import program, screenshot

    program()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        save_page(page, *robots, q=q, motion=motion, layers=layers, controls=controls)
        screenshot(page, path, *size)


def _frame(actor: Actor) -> str:
    """Return the page of an actor in a frame, as a notebook shows it."""
    from .page import page_of

    checked = check_actor(actor)
    page = html.escape(page_of([checked]), quote=True)
    return (
        f'<iframe title="{html.escape(checked.name)}" style="width: 100%; height: 560px; border: 0"'
        f' srcdoc="{page}"></iframe>'
    )


Actor._repr_html_ = _frame  # pages, which know actors, are above them


def _screen() -> bool:
    return sys.platform in ("darwin", "win32") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _in_notebook() -> bool:
    """Return whether this process is a notebook's kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def _to_actors(
    robots: Sequence[Robot | Actor], q: ArrayLike | None, motion: Motion | MotionFile | None
) -> list[Robot | Actor]:
    """Return actors, with the posture and motion that were given for a single robot."""
    if q is None and motion is None:
        return list(robots)
    if len(robots) != 1 or not isinstance(robots[0], Robot):
        raise InputError(
            "q and motion are those of a single robot; with several, give each an"
            " irbmodels.Actor(robot, q, motion)"
        )
    return [Actor(robots[0], q, motion)]


def _check_actors(robots: Sequence[Robot | Actor], layers: Sequence[str]) -> list[SceneActor]:
    for robot in robots:
        as_instance(robot, Robot | Actor, "what is shown is a robot or an irbmodels.Actor")
    if not robots:
        raise InputError("no robot to show")
    for layer in as_list(layers, str, "layers are a list of names"):
        if layer not in LAYERS:
            raise UnknownName("layer", layer, LAYERS)
    return [check_actor(robot if isinstance(robot, Actor) else Actor(robot)) for robot in robots]
