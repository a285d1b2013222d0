"""Simulation: ten seconds with stiction and events, and many roll-outs beside a loop over Pinocchio
with the same step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pinocchio as pin

import irbmodels as irb
from irbmodels.simulation import Plant, Rollouts, rollouts, simulate

from .arm import Arm, Array
from .claims import OURS
from .races import Contestant, Results

STEP = 1e-3  # [s]
SECONDS, LIMIT = 10.0, 1.0  # of motion, and what they may take [s]
PRESSED = 5.0  # times the torques of free roll-outs press most arms against their stops


def measurements(arm: Arm) -> list[tuple[str, Callable[[Results], None]]]:
    """Return everything here as steps of a run."""
    return [("simulation", partial(one_arm, arm)), ("roll-outs", partial(many, arm))]


def one_arm(arm: Arm, results: Results) -> None:
    """One arm under a PD controller that swings every axis; all six stick where they turn back."""
    robot, held, drive = _swinging(arm)
    seconds = 0.1 if results.effort.quick else SECONDS
    plant = Plant(robot, step=STEP)

    def sampled() -> None:
        state = plant.start(held)
        for i in range(round(seconds / 0.004)):
            state = plant.advance(state, drive(0.004 * i, state.q, state.v), 0.004)

    contestants = [
        Contestant(
            OURS,
            "simulate, events, DOP853",
            lambda: simulate(robot, held, duration=seconds, torque=drive),
            1,
        ),
        Contestant(OURS, "Plant, 4 ms samples, 1 ms steps", sampled, 1),
    ]
    ns = results.race(f"{seconds:g} s of motion with stiction", contestants)
    for how, taken in ns.items():
        whole = 1e-9 * taken * SECONDS / seconds
        results.within(f"{SECONDS:g} s of motion, {how}", whole, LIMIT, "s")


def many(arm: Arm, results: Results) -> None:
    """A thousand roll-outs with friction and stops, also pressed against them.

    Pinocchio's loop has neither.
    """
    robot, count, steps = (
        arm.robot,
        20 if results.effort.quick else 1000,
        20 if results.effort.quick else 1000,
    )
    rng, duration = np.random.default_rng(0), steps * STEP
    q = robot.from_controller([0, 20, 10, 0, 30, 0]) + rng.uniform(-0.2, 0.2, (count, robot.n))
    v, spread = rng.uniform(-0.5, 0.5, (count, robot.n)), np.array([60, 60, 60, 25, 35, 20])
    tau = robot.gravity(q) + rng.uniform(-1.0, 1.0, (count, robot.n)) * spread
    serial, alone = arm.tree(arm.states(1)), 2000
    torque = np.linalg.solve(arm.G.T, tau[0])

    def loop() -> None:
        position, speed = serial.q[0].copy(), np.zeros(robot.n)
        for _ in range(alone):
            speed = speed + STEP * pin.aba(arm.model, arm.data, position, speed, torque)
            position = pin.integrate(arm.model, position, STEP * speed)
            speed *= 0.99  # nothing else keeps it from flying off

    pressed = robot.gravity(q) + PRESSED * (tau - robot.gravity(q))
    cases = {
        "friction": (tau, False),
        "friction and stops": (tau, True),
        "pressed against stops": (pressed, True),
    }

    def ours(load: Array, stops: bool) -> Rollouts:
        return rollouts(
            robot, q, v, duration=duration, torque=load, step=STEP, every=duration, stops=stops
        )

    contestants = [
        Contestant(OURS, f"rollouts, {how}", partial(ours, *case), count * steps)
        for how, case in cases.items()
    ]
    ns = results.race(
        f"one step of {STEP:g} s, {count} roll-outs",
        [*contestants, Contestant("pin", "loop over pin.aba", loop, alone)],
    )
    walls = Plant(robot).stops
    for how, case in cases.items():
        end = ours(*case)
        at = (
            [walls.touched(*state).any() for state in zip(end.q[:, -1], end.v[:, -1], strict=True)]
            if case[1]
            else [False]
        )
        results.notes.append(
            f"rollouts, {how}: {np.mean(at):.0%} of the arms are on a stop at the end"
        )
    for how in (f"rollouts, {name}" for name in cases):
        results.faster(
            f"{count} roll-outs at 1 kHz, {how}",
            "pin.aba loop",
            ns[how],
            ns["loop over pin.aba"],
            20.0,
        )


def _swinging(arm: Arm) -> tuple[irb.Robot, Array, Callable[[float, Array, Array], Array]]:
    robot = arm.robot
    held = robot.from_controller([0, 20, 10, 0, 30, 0])
    size, rate = (
        np.radians([30, 20, 15, 40, 30, 60]),
        2.0 * np.pi * np.array([0.2, 0.25, 0.3, 0.4, 0.35, 0.5]),
    )
    stiffness, damping = (
        np.array([8000, 8000, 6000, 400, 500, 150]),
        np.array([900, 900, 600, 20, 20, 3]),
    )

    def drive(t: float, q: Array, v: Array) -> Array:
        torque: Array = stiffness * (held + size * np.sin(rate * t) - q) + damping * (
            size * rate * np.cos(rate * t) - v
        )
        return torque

    return robot, held, drive
