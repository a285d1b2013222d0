"""Checks of single rows of tables: shapes, axes, bodies, rotors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import TableError
from .reader import Row, check_known
from .schema import (
    HANDLING,
    AxisRow,
    BaseRow,
    CrankRow,
    HandlingRow,
    InertialSet,
    LevelRow,
    MdhRow,
    RotorRow,
    ShapeRow,
)


def check_shape(row: ShapeRow, file: Path, key: str, meshes: Path) -> None:
    """Check that a shape has the sizes of its kind, all positive, and a mesh its file.

    Raises:
        TableError: if not.
    """
    wanted = {"mesh": {"file"}, "box": {"at_mm", "size_mm"}}.get(
        row.shape, {"at_mm", "axis", "radius_mm", "length_mm"}
    )
    known = ("file", "at_mm", "size_mm", "axis", "radius_mm", "length_mm")
    given = {name for name in known if getattr(row, name) is not None}
    if given != wanted:
        needs, has = ", ".join(sorted(wanted)), ", ".join(sorted(given)) or "nothing"
        raise TableError(file, key, f"a {row.shape} needs {needs}, not {has}")
    if row.file is not None and not (meshes / row.file).is_file():
        raise TableError(file, f"{key}.file", f"{meshes / row.file} does not exist")
    if row.file is None and min(row.size_mm or (row.radius_mm or 0.0, row.length_mm or 0.0)) <= 0.0:
        raise TableError(file, key, f"a {row.shape} needs positive sizes")


def check_axis(row: AxisRow, linear: bool, file: Path, key: str) -> None:
    """Check units and signs of the limits of an axis; an unknown speed or effort is left out.

    Raises:
        TableError: if they do not fit the axis.
    """
    rotary, straight = (
        ("range_deg", "speed_deg_s", "effort_N_m"),
        ("range_mm", "speed_mm_s", "effort_N"),
    )
    wanted = straight if linear else rotary
    for name in (*rotary, *straight):
        value = getattr(row, name)
        if value is None and name in wanted[1:]:  # an unknown speed or effort is no bound
            continue
        if (value is None) == (name in wanted):
            needs = f"a {'linear' if linear else 'rotary'} axis needs {wanted[0]}"
            advice = "is missing; one that was not found is assumed, and its source says so"
            known = f"{needs}, takes {wanted[1]} and {wanted[2]}, and no {name}"
            raise TableError(file, key, f"{needs}: {name} {advice}" if name in wanted else known)
        if isinstance(value, float) and value <= 0.0:
            problem = f"{value:g} is not positive; leave it out if unknown"
            raise TableError(file, f"{key}.{name}", problem)
    lower, upper = getattr(row, wanted[0])
    if lower >= upper:
        problem = f"[{lower:g}, {upper:g}] is empty; its lower end comes first"
        raise TableError(file, f"{key}.{wanted[0]}", problem)


def check_level(
    level: LevelRow | None, joints: Mapping[str, MdhRow], parallelogram: bool, file: Path
) -> None:
    """Check that a joint that keeps axis 4 upright stands between those of a palletizer.

    Raises:
        TableError: if not.
    """
    if level is None:
        return
    if (
        not parallelogram
        or len(joints) != 4
        or any(row.type != "revolute" for row in joints.values())
    ):
        problem = "goes with four turning axes and a parallelogram, which drives axis 3"
        raise TableError(file, "level", problem)
    if level.type != "revolute" or level.alpha_deg or level.d_mm:
        problem = "needs alpha_deg 0 and d_mm 0: its axis lies parallel to joint_3's, in one plane"
        raise TableError(file, "level", problem)
    lean = joints["joint_2"].theta0_deg + joints["joint_3"].theta0_deg + level.theta0_deg
    if abs(lean) > 1e-9:  # [deg] rounding
        problem = f"those of joint_2, joint_3 and level add up to {lean:g}, not 0: axis 4 leans"
        raise TableError(file, "level.theta0_deg", problem)
    for name in ("lower_pin_mm", "upper_pin_mm"):
        if not any(getattr(level, name)):
            raise TableError(file, f"level.{name}", "a rod of no parallelogram: its pin is off 0")


def check_sums(rows: Mapping[str, AxisRow], parallelogram: bool, file: Path, key: str) -> None:
    """Check the sums of axes 2 and 3 that are bounded, by ``range_of`` or by ``bound_of``.

    Args:
        rows: Axes by name, each checked.
        parallelogram: True if one drives axis 3.
        file: Table that the rows are in.
        key: Of the rows in it.

    Raises:
        TableError: if the arm has no such sum, a parallelogram no bound of ``q3 - q2``, or no
            posture keeps every bound.
    """
    for name, row in rows.items():
        third = name == "axis_3" and row.range_deg is not None
        if row.range_of is not None and not (third and parallelogram):
            problem = "'q3 - q2' is the range of axis 3 of an arm with a parallelogram, of no other"
            raise TableError(file, f"{key}.{name}.range_of", problem)
        if (row.bound_of is None) != (row.bound_deg is None):
            raise TableError(file, f"{key}.{name}", "bound_of and bound_deg come together")
        if row.bound_of is not None:
            own = "q3 - q2" if parallelogram else "q3 + q2"
            if not third or row.bound_of != own:
                kind = "with a parallelogram" if parallelogram else "without a parallelogram"
                problem = f"{row.bound_of!r}: beside the range of axis 3 {kind} goes {own!r}"
                raise TableError(file, f"{key}.{name}.bound_of", problem)
            _check_bound(rows["axis_2"], row, file, f"{key}.{name}")
    if parallelogram and rows["axis_3"].range_of is None and rows["axis_3"].bound_of is None:
        problem = (
            "missing: with a parallelogram range_deg is one of 'q3 - q2', or bound_of: q3 - q2 and"
            " bound_deg stand beside a range of q3 itself"
        )
        raise TableError(file, f"{key}.axis_3.range_of", problem)


def _check_bound(second: AxisRow, third: AxisRow, file: Path, key: str) -> None:
    """Check that a bound of a sum leaves postures, and is not stated twice."""
    (low, high), (low_2, high_2), (low_3, high_3) = (
        third.bound_deg or (0.0, 0.0),
        second.range_deg or (0.0, 0.0),
        third.range_deg or (0.0, 0.0),
    )
    if third.range_of is not None:
        problem = f"{third.bound_of!r} has its range already, by range_of; drop one of them"
        raise TableError(file, f"{key}.bound_of", problem)
    if low >= high:
        raise TableError(file, f"{key}.bound_deg", f"[{low:g}, {high:g}] is empty")
    least, most = sum_of_ranges(third.bound_of, (low_2, high_2), (low_3, high_3))
    if low >= most or high <= least:
        problem = (
            f"[{low:g}, {high:g}] leaves no posture: ranges of axes 2 and 3 leave {third.bound_of}"
            f" between {least:g} and {most:g}"
        )
        raise TableError(file, f"{key}.bound_deg", problem)


def sum_of_ranges(
    name: str | None, second: tuple[float, float], third: tuple[float, float]
) -> tuple[float, float]:
    """Return smallest and largest value of ``q3 - q2`` or ``q3 + q2`` by the ranges of both."""
    ends = second if name == "q3 + q2" else (-second[1], -second[0])
    return third[0] + ends[0], third[1] + ends[1]


def check_ratings(row: Row, file: Path, key: str) -> None:
    """Check that ratings are positive where they are stated.

    Raises:
        TableError: if not.
    """
    for name in ("payload_kg", "reach_mm", "mass_kg", "repeatability_mm"):
        value = getattr(row, name)
        if value is not None and value <= 0.0:
            raise TableError(file, f"{key}.{name}", f"{value:g} is not positive")


def check_handling(row: HandlingRow | None, axes: int, file: Path, key: str) -> None:
    """Check that a load diagram is one of a six-axis arm, its limits positive.

    Raises:
        TableError: if not.
    """
    if row is not None and (axes != 6 or min(row.known().values(), default=0.0) <= 0.0):
        known = ", ".join(HANDLING.values())
        problem = f"needs a six-axis arm, and limits that are positive: {known}"
        raise TableError(file, key, problem)


def check_part(part: BaseRow | CrankRow | None, robot: float | None, file: Path, key: str) -> None:
    """Check that a link weighs something, and less than its robot [kg], where that is known.

    Raises:
        TableError: if not.
    """
    if part is None:
        return
    if part.mass_kg <= 0.0:
        raise TableError(file, f"{key}.mass_kg", f"{part.mass_kg:g} is not positive")
    if robot is not None and part.mass_kg >= robot:
        problem = f"{part.mass_kg:g} is not below mass_kg of the ratings, {robot:g}"
        raise TableError(file, f"{key}.mass_kg", problem)


def check_crank(
    crank: CrankRow | None, allowed: bool, robot: float | None, file: Path, key: str
) -> None:
    """Check the mass of a crank with its counterweight.

    Raises:
        TableError: if the arm cannot have one, or it is no part of its robot.
    """
    if crank is not None and not allowed:
        problem = "a counterweight is drawn on arms with a parallelogram, and on no palletizer"
        raise TableError(file, key, problem)
    check_part(crank, robot, file, key)


def check_bodies(chosen: InertialSet, file: Path, key: str) -> None:
    """Check that every body of a set can exist, but for those that it lists as impossible.

    Raises:
        TableError: if not, or if one of those can.
    """
    for link, row in chosen.links.items():
        wrong = row.inertial().impossibilities()
        if wrong and link not in chosen.impossible:
            raise TableError(file, f"{key}.links.{link}", "; ".join(wrong))
        if not wrong and link in chosen.impossible:
            problem = f"{link} is listed, but a body can have its numbers"
            raise TableError(file, f"{key}.impossible", problem)


def check_rotors(
    rotors: Mapping[str, RotorRow],
    axes: Sequence[str],
    linear: Sequence[bool],
    file: Path,
    key: str,
) -> None:
    """Check that rotors are of known axes, in their unit, and not negative.

    Raises:
        TableError: if not.
    """
    for axis, rotor in rotors.items():
        check_known("axis", [axis], axes, file, f"{key}.rotors.{axis}")
        straight = linear[axes.index(axis)]
        value = rotor.value(straight)
        if value is None or value < 0.0 or rotor.value(not straight) is not None:
            unit = "inertia_kg" if straight else "inertia_kg_m2"
            problem = f"needs {unit}, 0 or more, and nothing else"
            raise TableError(file, f"{key}.rotors.{axis}", problem)
