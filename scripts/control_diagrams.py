"""Block diagrams of the control laws (S004 Figs 9-12 corrected, and the others) as SVG, from boxes,
sums and arrows.

    python scripts/control_diagrams.py [FOLDER]      default docs/howto/control

A point is a port of a part (``"kp.r"``: left, right, top, bottom) or ``(x, y)``; between them a
path goes ``"x=3"`` or ``"y=1"``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "howto" / "control"
INK, FILL, PLANT = "#1a1a1a", "#eaf2f8", "#fdf2e0"
RADIUS = 0.14  # of a sum
Point = tuple[float, float]


class Diagram:
    """A picture of ``width`` by ``height`` units; y grows upward from 0."""

    def __init__(self, width: float, height: float) -> None:
        self.figure = Figure(figsize=(0.85 * width, 0.85 * height))
        self.axes = self.figure.add_axes(
            (0, 0, 1, 1), xlim=(0, width), ylim=(0, height), aspect="equal"
        )
        self.axes.axis("off")
        self.ports: dict[str, Point] = {}

    def box(
        self,
        name: str,
        x: float,
        y: float,
        text: str,
        width: float = 0.9,
        height: float = 0.62,
        plant: bool = False,
    ) -> None:
        """Draw a block about its centre."""
        shape = FancyBboxPatch(
            (x - width / 2, y - height / 2), width, height, "round,pad=0,rounding_size=0.06",
            fc=PLANT if plant else FILL, ec=INK, lw=1.1, zorder=2,
        )  # fmt: skip
        self.axes.add_patch(shape)
        self.axes.text(
            x, y, text, ha="center", va="center", fontsize=10, zorder=3, linespacing=1.35
        )
        self._ports(name, x, y, width / 2, height / 2)

    def sum(self, name: str, x: float, y: float, **signs: str) -> None:
        """Draw a summing point; ``l="+", b="-"`` are the signs at its ports."""
        self.axes.add_patch(Circle((x, y), RADIUS, fc="white", ec=INK, lw=1.1, zorder=2))
        self._ports(name, x, y, RADIUS, RADIUS)
        for port, sign in signs.items():
            dx, dy = {"l": (-0.24, 0.14), "r": (0.24, 0.14), "t": (0.13, 0.25), "b": (0.13, -0.25)}[
                port
            ]
            text = {"-": "−"}.get(sign, sign)
            self.axes.text(x + dx, y + dy, text, ha="center", va="center", fontsize=9, zorder=3)

    def arrow(
        self,
        start: str | Point,
        *path: str | Point,
        label: str = "",
        at: float = 0.5,
        side: str = "t",
        **how: object,
    ) -> None:
        """Draw an arrow along a path; ``label`` stands beside its first piece, ``at`` a share of
        it; ``dot`` marks a branch.
        """
        points = [self._point(start)]
        for step in path:
            x, y = points[-1]
            if isinstance(step, str) and "=" in step:
                value = float(step[2:])
                points.append((value, y) if step[0] == "x" else (x, value))
            else:
                points.append(self._point(step))
        if how.get("dot"):
            self.axes.add_patch(Circle(points[0], 0.045, fc=INK, ec=INK, zorder=4))
        style = "--" if how.get("dashed") else "-"
        xs, ys = zip(*points, strict=True)
        self.axes.plot(xs[:-1], ys[:-1], style, color=INK, lw=1.1, zorder=1, solid_capstyle="round")
        arrow = {
            "arrowstyle": "-|>,head_width=0.22,head_length=0.45",
            "color": INK,
            "lw": 1.1,
            "ls": style,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        self.axes.annotate("", points[-1], points[-2], arrowprops=arrow, zorder=1)
        if label:
            (x0, y0), (x1, y1) = points[:2]
            dx, dy, ha, va = {"t": (0, 0.07, "center", "bottom"), "b": (0, -0.08, "center", "top"),
                              "l": (-0.08, 0, "right", "center"), "r": (0.08, 0, "left", "center")}[side]  # fmt: skip
            self.axes.text(
                x0 + at * (x1 - x0) + dx,
                y0 + at * (y1 - y0) + dy,
                label,
                ha=ha,
                va=va,
                fontsize=10,
                zorder=3,
            )

    def note(self, x: float, y: float, text: str) -> None:
        """Write a word between the parts."""
        self.axes.text(
            x, y, text, ha="center", va="center", fontsize=9, style="italic", color="#555555"
        )

    def save(self, path: Path) -> None:
        """Write SVG, the same bytes each time."""
        with mpl.rc_context({"svg.hashsalt": "irbmodels", "svg.fonttype": "path"}):
            self.figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})

    def _ports(self, name: str, x: float, y: float, dx: float, dy: float) -> None:
        for port, place in (
            ("l", (x - dx, y)),
            ("r", (x + dx, y)),
            ("t", (x, y + dy)),
            ("b", (x, y - dy)),
        ):
            self.ports[f"{name}.{port}"] = place

    def _point(self, where: str | Point) -> Point:
        return self.ports[where] if isinstance(where, str) else where


def axis_speed() -> Diagram:
    """S004 Fig. 9, the two dots read as a tilde."""
    d = Diagram(9.4, 2.9)
    d.sum("error", 1.5, 1.5, l="+", b="-")
    d.box("gain", 2.8, 1.5, r"$\lambda$")
    d.sum("speed", 4.2, 1.5, l="+", t="+")
    d.box("drives", 5.7, 1.5, "drives", width=1.2)
    d.box("robot", 7.5, 1.5, "robot", width=1.1, plant=True)
    d.arrow((0.3, 1.5), "error.l", label="$q_d$", at=0.35)
    d.arrow("error.r", "gain.l", label="$e$")
    d.arrow("gain.r", "speed.l")
    d.arrow((4.2, 2.65), "speed.t", label=r"$\dot{q}_d$", at=0.3, side="r")
    d.arrow("speed.r", "drives.l", label=r"$\dot{q}$")
    d.arrow("drives.r", "robot.l", label=r"$\tau$")
    d.arrow("robot.r", (9.1, 1.5), label="$q$", at=0.75)
    d.arrow((8.5, 1.5), "y=0.4", "x=1.5", "error.b", dot=True)
    return d


def tcp_speed() -> Diagram:
    """S004 Fig. 10, corrected likewise, with a square J."""
    d = Diagram(10.6, 3.4)
    d.sum("error", 1.5, 1.9, l="+", b="-")
    d.box("gain", 2.7, 1.9, "$r$")
    d.sum("speed", 3.9, 1.9, l="+", t="+")
    d.box("inverse", 5.3, 1.9, "$J^{-1}(q)$", width=1.1)
    d.box("drives", 7.0, 1.9, "drives", width=1.1)
    d.box("robot", 8.7, 1.9, "robot", width=1.1, plant=True)
    d.box("pose", 5.3, 0.5, "forward kinematics", width=2.2)
    d.arrow((0.3, 1.9), "error.l", label=r"$\mu_d$", at=0.35)
    d.arrow("error.r", "gain.l", label="$e$")
    d.arrow("gain.r", "speed.l")
    d.arrow((3.9, 3.05), "speed.t", label=r"$\dot{\mu}_d$", at=0.3, side="r")
    d.arrow("speed.r", "inverse.l")
    d.arrow("inverse.r", "drives.l", label=r"$\dot{q}$")
    d.arrow("drives.r", "robot.l", label=r"$\tau$")
    d.arrow("robot.r", (10.3, 1.9), label="$q$", at=0.75)
    d.arrow((9.7, 1.9), "y=0.5", "pose.r", dot=True)
    d.arrow((7.85, 0.5), "y=1.3", "x=5.3", "inverse.b", dot=True)
    d.arrow("pose.l", "x=1.5", "error.b", label=r"$\mu$", at=0.3)
    return d


def _feedback(d: Diagram, position: str, speed: str, x_out: float, back: float) -> None:
    """Draw the two errors, their gains, and the lines that feed q and q' back, for a robot at the
    right.
    """
    d.sum("e", 1.5, 1.5, l="+", b="-")
    d.sum("de", 1.5, 2.6, l="+", b="-")
    d.box("kp", 2.8, 1.5, "$k_p$")
    d.box("kd", 2.8, 2.6, "$k_d$")
    d.arrow((0.3, 1.5), "e.l", label=position, at=0.35)
    d.arrow((0.3, 2.6), "de.l", label=speed, at=0.35)
    d.arrow("e.r", "kp.l", label="$e$")
    d.arrow("de.r", "kd.l", label=r"$\dot{e}$")
    d.arrow((x_out + 0.25, 1.5 + back), "y=0.35", "x=1.5", "e.b", dot=True)
    d.arrow((x_out + 0.5, 1.9 + back), "y=0.1", "x=0.95", "y=2.1", "x=1.5", "de.b", dot=True)


def pd_gravity() -> Diagram:
    """S004 Fig. 11."""
    d = Diagram(8.9, 3.4)
    d.sum("pd", 4.2, 2.6, l="+", b="+")
    d.sum("tau", 5.2, 2.6, l="+", b="+")
    d.box("g", 5.2, 1.35, "$g(q)$")
    d.box("robot", 6.7, 2.6, "robot", width=1.1, height=1.0, plant=True)
    _feedback(d, "$q_d$", r"$\dot{q}_d$", 7.55, 0.9)
    d.arrow("kp.r", "x=4.2", "pd.b")
    d.arrow("kd.r", "pd.l")
    d.arrow("pd.r", "tau.l")
    d.arrow("g.t", "tau.b")
    d.arrow("tau.r", "robot.l", label=r"$\tau$")
    d.arrow((7.25, 2.8), (8.6, 2.8), label=r"$\dot{q}$", at=0.85)
    d.arrow((7.25, 2.4), (8.6, 2.4), label="$q$", at=0.85, side="b")
    d.arrow((7.8, 1.35), "g.r", dot=True)
    return d


def _outputs(d: Diagram, x: float) -> None:
    d.arrow((x, 2.8), (x + 1.35, 2.8), label=r"$\dot{q}$", at=0.85)
    d.arrow((x, 2.4), (x + 1.35, 2.4), label="$q$", at=0.85, side="b")


def computed_torque() -> Diagram:
    """Inverse dynamics in the axes."""
    d = Diagram(11.0, 4.1)
    d.sum("a", 4.2, 2.6, l="+", b="+", t="+")
    d.box("M", 5.6, 2.6, "$M(q)$", width=1.0)
    d.sum("tau", 7.0, 2.6, l="+", b="+")
    d.box("n", 7.0, 1.35, r"$C\dot{q} + g\;(+F)$", width=1.7)
    d.box("robot", 8.7, 2.6, "robot", width=1.1, height=1.0, plant=True)
    _feedback(d, "$q_d$", r"$\dot{q}_d$", 9.55, 0.9)
    d.arrow((0.3, 3.6), "x=4.2", "a.t", label=r"$\ddot{q}_d$", at=0.11)
    d.arrow("kp.r", "x=4.2", "a.b")
    d.arrow("kd.r", "a.l")
    d.arrow("a.r", "M.l")
    d.arrow("M.r", "tau.l")
    d.arrow("n.t", "tau.b")
    d.arrow("tau.r", "robot.l", label=r"$\tau$")
    _outputs(d, 9.25)
    d.arrow((9.8, 1.45), (7.85, 1.45), dot=True)
    d.arrow((10.05, 1.25), (7.85, 1.25), dot=True)
    d.arrow((6.0, 0.35), "y=1.9", "x=5.6", "M.b", dot=True)
    return d


def task_inverse_dynamics() -> Diagram:
    """S004 Fig. 12 with J'(q, q') q' for J'(q_d) q_d'."""
    d = Diagram(12.6, 4.6)
    d.sum("a", 4.2, 3.1, l="+", b="+", t="+", r="")
    d.sum("drift", 5.1, 3.1, l="+", b="-")
    d.box("J", 6.2, 3.1, "$J^{-1}(q)$", width=1.1)
    d.box("M", 7.7, 3.1, "$M(q)$", width=1.0)
    d.sum("tau", 8.9, 3.1, l="+", b="+")
    d.box("robot", 10.4, 3.1, "robot", width=1.1, height=1.0, plant=True)
    d.box("Jdot", 5.1, 1.95, r"$\dot{J}(q,\dot{q})\,\dot{q}$", width=1.3)
    d.box("n", 8.9, 1.95, r"$V(q,\dot{q}) + g(q)$", width=1.9)
    d.box("kin", 8.9, 0.55, "forward kinematics, $J(q)$", width=3.2)
    d.sum("e", 1.5, 2.0, l="+", b="-")
    d.sum("de", 1.5, 3.1, l="+", b="-")
    d.box("kp", 2.8, 2.0, "$k_p$")
    d.box("kd", 2.8, 3.1, "$k_d$")
    d.arrow((0.3, 2.0), "e.l", label=r"$\mu_d$", at=0.3)
    d.arrow((0.3, 3.1), "de.l", label=r"$\dot{\mu}_d$", at=0.3)
    d.arrow((0.3, 4.1), "x=4.2", "a.t", label=r"$\ddot{\mu}_d$", at=0.09)
    d.arrow("e.r", "kp.l", label="$e$")
    d.arrow("de.r", "kd.l", label=r"$\dot{e}$")
    d.arrow("kp.r", "x=4.2", "a.b")
    d.arrow("kd.r", "a.l")
    d.arrow("a.r", "drift.l")
    d.arrow("drift.r", "J.l")
    d.arrow("J.r", "M.l", label=r"$\ddot{q}$")
    d.arrow("M.r", "tau.l")
    d.arrow("n.t", "tau.b")
    d.arrow("Jdot.t", "drift.b")
    d.arrow("tau.r", "robot.l", label=r"$\tau$")
    d.arrow("robot.r", (12.3, 3.1), label=r"$q, \dot{q}$", at=0.75)
    d.arrow((11.5, 3.1), "y=0.55", "kin.r", dot=True)
    d.arrow((11.5, 1.95), "n.r", dot=True)
    d.arrow((11.5, 1.3), "x=5.1", "Jdot.b", dot=True)
    d.arrow((7.3, 0.65), "x=1.5", "e.b", label=r"$\mu$", at=0.85)
    d.arrow(
        (7.3, 0.45), "x=0.95", "y=2.55", "x=1.5", "de.b", label=r"$\dot{\mu}$", at=0.8, side="b"
    )
    return d


def feed_forward() -> Diagram:
    """Inverse dynamics of the reference, friction included."""
    d = Diagram(9.4, 4.2)
    d.box("model", 2.9, 3.7, r"$M(q_d)\ddot{q}_d + C\dot{q}_d + g + F(\dot{q}_d)$", width=3.6)
    d.sum("tau", 5.6, 2.6, l="+", t="+")
    d.sum("pd", 4.2, 2.6, l="+", b="+")
    d.box("robot", 7.2, 2.6, "robot", width=1.1, height=1.0, plant=True)
    _feedback(d, "$q_d$", r"$\dot{q}_d$", 8.05, 0.9)
    d.arrow((0.1, 3.7), "model.l", label=r"$q_d, \dot{q}_d, \ddot{q}_d$", at=0.45)
    d.arrow("model.r", "x=5.6", "tau.t")
    d.arrow("kp.r", "x=4.2", "pd.b")
    d.arrow("kd.r", "pd.l")
    d.arrow("pd.r", "tau.l")
    d.arrow("tau.r", "robot.l", label=r"$\tau$")
    _outputs(d, 7.75)
    return d


def pid() -> Diagram:
    """One axis with its integral, its limit, and the line back that stops the integral."""
    d = Diagram(10.6, 4.0)
    d.sum("e", 1.5, 2.2, l="+", b="-")
    d.box("kp", 3.2, 2.2, "$k_p$")
    d.box("ki", 3.2, 3.3, r"$k_i\int$")
    d.box("kd", 3.2, 1.1, "$k_d$")
    d.sum("de", 2.2, 1.1, l="+", b="-")
    d.sum("tau", 4.8, 2.2, l="+", t="+", b="+")
    d.box("limit", 6.3, 2.2, "limit", width=1.1)
    d.box("robot", 8.3, 2.2, "robot", width=1.1, height=1.0, plant=True)
    d.arrow((0.3, 2.2), "e.l", label="$q_d$", at=0.35)
    d.arrow((0.3, 1.1), "de.l", label=r"$\dot{q}_d$", at=0.22)
    d.arrow("e.r", "kp.l", label="$e$", at=0.2)
    d.arrow((2.2, 2.2), "y=3.3", "ki.l", dot=True)
    d.arrow("de.r", "kd.l")
    d.arrow("kp.r", "tau.l")
    d.arrow("ki.r", "x=4.8", "tau.t")
    d.arrow("kd.r", "x=4.8", "tau.b")
    d.arrow("tau.r", "limit.l")
    d.arrow("limit.r", "robot.l", label=r"$\tau$")
    d.arrow("limit.t", "y=3.75", "x=3.2", "ki.t", dashed=True)
    d.note(7.5, 3.6, "stop winding at the limit")
    d.arrow((8.85, 2.4), (10.3, 2.4), label=r"$\dot{q}$", at=0.85)
    d.arrow((8.85, 2.0), (10.3, 2.0), label="$q$", at=0.85, side="b")
    d.arrow((9.2, 2.0), "y=0.4", "x=1.5", "e.b", dot=True)
    d.arrow((9.5, 2.4), "y=0.15", "x=2.2", "de.b", dot=True)
    return d


def adaptive() -> Diagram:
    """Slotine and Li."""
    d = Diagram(10.8, 4.1)
    d.box(
        "ref",
        2.1,
        2.2,
        "$\\dot{q}_r = \\dot{q}_d + \\Lambda e$\n$s = \\dot{e} + \\Lambda e$",
        width=1.7,
        height=1.0,
    )
    d.box("Y", 5.1, 2.4, r"$Y(q, \dot{q}, \dot{q}_r, \ddot{q}_r)\,\hat{\beta}$", width=2.4)
    d.box("kd", 5.1, 1.3, "$k_d$")
    d.box("learn", 5.1, 3.55, r"$\dot{\hat{\beta}} = \Gamma Y^\top s$", width=1.7)
    d.sum("tau", 7.2, 2.4, l="+", b="+")
    d.box("robot", 8.7, 2.4, "robot", width=1.1, height=1.0, plant=True)
    d.arrow((0.1, 2.2), "ref.l", label=r"$q_d, \dot{q}_d, \ddot{q}_d$", at=0.46)
    d.arrow((2.95, 2.4), "Y.l", label=r"$\dot{q}_r, \ddot{q}_r$", at=0.36)
    d.arrow((2.95, 2.0), "x=3.7", "y=1.3", "kd.l", label="$s$", at=0.5, side="b")
    d.arrow((3.7, 2.0), "y=3.55", "learn.l", dot=True)
    d.arrow("learn.b", "Y.t", label=r"$\hat{\beta}$", side="r")
    d.arrow("Y.r", "tau.l")
    d.arrow("kd.r", "x=7.2", "tau.b")
    d.arrow("tau.r", "robot.l", label=r"$\tau$")
    d.arrow("robot.r", (10.5, 2.4), label=r"$q, \dot{q}$", at=0.7)
    d.arrow((9.6, 2.4), "y=0.5", "x=2.1", "ref.b", dot=True)
    d.arrow((6.7, 0.5), "y=1.75", "x=5.6", (5.6, 2.09), dot=True)
    return d


def observer() -> Diagram:
    """Momentum observer and threshold, beside any law."""
    d = Diagram(11.2, 4.3)
    d.box("robot", 2.0, 3.3, "robot", width=1.2, height=0.9, plant=True)
    d.box("p", 4.3, 3.3, r"$M(q)\,\dot{q}$", width=1.2)
    d.box("drift", 2.9, 1.9, r"$C^\top\dot{q} - g - F$", width=1.7)
    d.sum("rate", 4.6, 1.2, l="+", t="+", b="+")
    d.box("int", 5.8, 1.2, r"$\int$")
    d.sum("r", 7.0, 3.3, l="+", b="-")
    d.box("K", 8.2, 3.3, "$K$")
    d.box("limit", 10.0, 3.3, "threshold", width=1.3)
    d.arrow((0.3, 3.3), "robot.l", label=r"$\tau$", at=0.3)
    d.arrow((2.0, 4.2), "robot.t", label=r"$\tau_{ext}$", at=0.3, side="r")
    d.arrow("robot.r", "p.l", label=r"$q, \dot{q}$", at=0.62)
    d.arrow((2.9, 3.3), "drift.t", dot=True)
    d.arrow("drift.r", "x=4.6", "rate.t")
    d.arrow((0.8, 3.3), "y=1.2", "rate.l", dot=True)
    d.arrow("rate.r", "int.l")
    d.arrow("int.r", "x=7.0", "r.b")
    d.arrow("p.r", "r.l", label="$p$", at=0.4)
    d.arrow("r.r", "K.l")
    d.arrow("K.r", "limit.l", label="$r$", at=0.3)
    d.arrow((8.95, 3.3), "y=0.35", "x=4.6", "rate.b", dot=True)
    d.arrow("limit.b", (10.0, 2.1), label="collision:\nwhen, which axis", at=1.0, side="b")
    return d


def impedance() -> Diagram:
    """Mass, spring and damper at the TCP."""
    d = Diagram(12.8, 4.4)
    d.box("error", 1.9, 2.4, "$e, \\dot{e}$", width=0.9)
    d.box("spring", 3.5, 2.4, r"$K e + D \dot{e}$", width=1.3)
    d.sum("force", 4.9, 2.4, l="+", b="+")
    d.box("H", 5.9, 2.4, "$H^{-1}$", width=0.8)
    d.sum("a", 7.0, 2.4, l="+", t="+")
    d.box("drift", 7.0, 3.7, r"$\ddot{\mu}_d - \dot{J}\dot{q}$", width=1.4)
    d.box("M", 8.3, 2.4, "$M J^{-1}$", width=1.0)
    d.sum("tau", 9.5, 2.4, l="+", t="+", b="-")
    d.box("n", 9.5, 3.7, r"$C\dot{q} + g$", width=1.2)
    d.box("robot", 11.0, 2.4, "robot", width=1.1, height=1.0, plant=True)
    d.box("JT", 9.5, 1.35, r"$J^\top$", width=0.8)
    d.arrow((0.2, 2.4), "error.l", label=r"$\mu_d, \dot{\mu}_d$", at=0.45)
    d.arrow("error.r", "spring.l")
    d.arrow("spring.r", "force.l")
    d.arrow("force.r", "H.l")
    d.arrow("H.r", "a.l")
    d.arrow("drift.b", "a.t")
    d.arrow("a.r", "M.l")
    d.arrow("M.r", "tau.l")
    d.arrow("n.b", "tau.t")
    d.arrow("tau.r", "robot.l", label=r"$\tau$")
    d.arrow("robot.r", (12.5, 2.4), label=r"$q, \dot{q}$", at=0.75)
    d.arrow((12.0, 2.4), "y=0.2", "x=1.9", "error.b", dot=True)
    d.arrow((11.0, 0.45), "robot.b", label="$w$", at=0.12, side="r")
    d.arrow((11.0, 1.35), "JT.r", dot=True)
    d.arrow("JT.t", "tau.b")
    d.arrow((11.0, 0.7), "x=4.9", "force.b", dot=True)
    d.note(6.6, 0.88, "w, with a force sensor")
    return d


DIAGRAMS: dict[str, Callable[[], Diagram]] = {
    draw.__name__: draw
    for draw in (
        axis_speed,
        tcp_speed,
        pd_gravity,
        computed_torque,
        task_inverse_dynamics,
        feed_forward,
        pid,
        adaptive,
        observer,
        impedance,
    )
}


def main() -> int:
    """Draw all."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for name, draw in DIAGRAMS.items():
        draw().save(folder / f"{name}.svg")
        print(folder / f"{name}.svg")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
