"""Friction per drive: Stribeck's law (S000 eq. 54) and terms that measured gears add to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import finite, numbers, short_repr
from ..errors import InputError, MissingData
from .equality import ByValue
from .types import Array, Mask

ANY_SPEED = 1.0  # stands for a speed of the law that has no influence
NAMES = ("Fs", "Fc", "Fv", "v_St")
"""Parameters of S000's law."""
ANY_DISTANCE = 1.0  # likewise for a distance
FURTHER = {
    "Fd": 0.0,
    "v_d": ANY_SPEED,
    "dFc": 0.0,
    "dFv": 0.0,
    "mu": 0.0,
    "per_K": 0.0,
    "presliding": 0.0,
    "x_p": ANY_DISTANCE,
}
"""Parameters of terms beside it, with the value of a law without them."""
SCALE_OF = {"Fs-Fc": "v_St", "Fd": "v_d", "presliding": "x_p"}
"""Speed or distance that a term has beside its size."""
KINDS = {
    "Fv": ("N m s/rad", "N s/m"),
    "Fc": ("N m", "N"),
    "Fs-Fc": ("N m", "N"),
    "Fd": ("N m", "N"),
    "dFc": ("N m", "N"),
    "dFv": ("N m s/rad", "N s/m"),
    "mu": ("1", "1"),
}
"""Parameters that torque is linear in, with their units for rotary and linear axes."""
VISCOUS = ("Fv", "dFv", "Fd")
"""Those that change with temperature."""

CONSTANTS = {
    "Fv": "FV", "Fc": "FC", "Fs-Fc": "FD", "Fd": "FG", "dFc": "AC", "dFv": "AV", "mu": "MU",
}  # fmt: skip
"""Names that programs and exports have for these parameters."""


def _absent() -> Array:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class Stribeck(ByValue):
    """Friction torque at drive speed ``w``, with ``sgn(0) = 0``.

    ``(Fc + (Fs - Fc) exp(-(w / v_St)^2) + mu |load|) sgn(w) + dFc |sgn(w)|
    + Fv w + dFv |w| + Fd w / (v_d + |w|)``

    The first four parameters are S000's law (eq. 54); the others are zero unless given. Arrays of
    shape ``(n,)``, arm side: speeds and torques of drive i in turns of axis i. Drives are axes
    unless ``robot.drive_axes`` couples them.

    Along a motion the share ``presliding`` of Fc turns round over the distance ``x_p`` after a
    reversal (:mod:`.presliding`). A single state is taken to slide steadily.
    """

    Fs: Array
    """Static friction [N m, N]."""
    Fc: Array
    """Coulomb friction [N m, N], mean of both directions."""
    Fv: Array
    """Viscous friction [N m s/rad, N s/m], mean of both directions."""
    v_St: Array
    """Stribeck speed [rad/s, m/s]; without influence where ``Fs = Fc``."""
    measured_to: float | None = None
    """Speed up to which it was measured [rad/s, m/s]; beyond it the law is extrapolation."""
    Fd: Array = field(default_factory=_absent)
    """Degressive viscous friction [N m, N]: rises from slope ``Fd / v_d`` to this level."""
    v_d: Array = field(default_factory=_absent)
    """Speed at which it has half its level [rad/s, m/s]; without influence where ``Fd = 0``."""
    dFc: Array = field(default_factory=_absent)
    """Half of what Coulomb friction of positive motion exceeds that of negative by [N m, N]."""
    dFv: Array = field(default_factory=_absent)
    """Half of what viscous friction of positive motion exceeds that of negative by."""
    mu: Array = field(default_factory=_absent)
    """Coulomb friction per static torque at the drive [1]."""
    per_K: Array = field(default_factory=_absent)
    """Relative change of viscous friction (Fv, dFv, Fd) per kelvin [1/K], by :meth:`at`."""
    presliding: Array = field(default_factory=_absent)
    """Share of Fc that turns round over a distance after a reversal [1]; the rest does at once."""
    x_p: Array = field(default_factory=_absent)
    """Distance of presliding [rad, m], of ``exp(-x / x_p)``; without influence where it is none."""
    reference_temperature: float | None = None
    """Temperature that the parameters hold at [deg C]."""

    def __post_init__(self) -> None:
        """Keep read-only copies; terms that are not given are zero."""
        for name in (*NAMES, *FURTHER):
            array = numbers(getattr(self, name), f"{name} of a friction law")
            if name in FURTHER and not array.size:
                array = np.full(np.shape(self.Fs), FURTHER[name])
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def falls(self) -> Mask:
        """True for axes whose dry friction falls from Fs to Fc with speed, shape ``(n,)``.

        ``v_St`` has no influence on the others.
        """
        return np.asarray(self.Fs != self.Fc, dtype=bool)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of linear parameters that every axis has, among :data:`KINDS`.

        Always Fv, Fc and Fs - Fc; of the others those that are not zero on every axis.
        """
        first = ("Fv", "Fc", "Fs-Fc")
        return (*first, *(kind for kind in list(KINDS)[3:] if getattr(self, kind).any()))

    @property
    def needs_load(self) -> bool:
        """True if friction depends on the static torques at the drives."""
        return "mu" in self.kinds

    @property
    def terms(self) -> str:
        """The terms that are not zero, in words."""
        words = {
            "viscous": self.Fv.any() and not self.falls.any(),
            "Coulomb": self.Fc.any() and not self.falls.any(),
            "Stribeck": self.falls.any(),
            "degressive": "Fd" in self.kinds,
            "asymmetric": "dFc" in self.kinds or "dFv" in self.kinds,
            "load-dependent": "mu" in self.kinds,
            "presliding": self.presliding.any(),
        }
        return " and ".join(word for word, there in words.items() if there) or "no"

    def formula(self, speed: str = "v", load: str = "load") -> str:
        """Torque as text, with the terms of its :attr:`kinds` and names for speed and load."""
        further = {
            "dFc": f" + dFc |sgn({speed})|",
            "dFv": f" + dFv |{speed}|",
            "Fd": f" + Fd {speed}/(v_d + |{speed}|)",
        }
        loaded = f" + mu |{load}|" if self.needs_load else ""
        level = f"(Fc + (Fs - Fc) exp(-({speed}/v_St)^2){loaded}) sgn({speed}) + Fv {speed}"
        return level + "".join(text for kind, text in further.items() if kind in self.kinds)

    def same_as(self, other: Stribeck) -> bool:
        """Return whether both laws have the same numbers."""
        return self.reference_temperature == other.reference_temperature and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in (*NAMES, *FURTHER)
        )

    def torque(self, w: Array, load: Array | None = None) -> Array:
        """Friction torque at drive speeds ``(..., n)``: positive where it opposes a positive speed.

        Args:
            w: Drive speeds [rad/s, m/s], of steady sliding.
            load: Static torques at the drives [N m, N], same shape; only a law with ``mu`` needs
                them.

        Raises:
            MissingData: if the law needs the load and none is given.
        """
        if w.ndim == 1:  # on six numbers this loop takes half the time of the formula below
            one_state = []
            for speed, (coulomb, drop, steepness, viscous) in zip(
                w.tolist(), self._rows, strict=True
            ):
                dry = (
                    math.copysign(coulomb + drop * math.exp(steepness * speed * speed), speed)
                    if speed
                    else 0.0
                )
                one_state.append(dry + viscous * speed)
            torque = np.array(one_state)
        else:
            level = self.Fc + (self.Fs - self.Fc) * np.exp(-np.square(w / self.v_St))
            torque = np.asarray(level * np.sign(w) + self.Fv * w)
        if len(self.kinds) == 3:
            return torque
        for kind, column in self._columns(w, load, self.kinds[3:]).items():
            torque += getattr(self, kind) * column
        return torque

    @cached_property
    def _rows(self) -> list[tuple[float, float, float, float]]:
        steepness = -1.0 / np.square(self.v_St)
        return list(
            zip(
                self.Fc.tolist(),
                (self.Fs - self.Fc).tolist(),
                steepness.tolist(),
                self.Fv.tolist(),
                strict=True,
            )
        )

    def _columns(
        self,
        w: Array,
        load: Array | None,
        kinds: tuple[str, ...],
        direction: Array | None = None,
    ) -> dict[str, Array]:
        """Torque per unit of each kind of parameter at drive speeds ``(..., n)``."""
        sign, size = np.sign(w), np.abs(w)
        formulas: dict[str, Callable[[], Array]] = {
            "Fv": lambda: w,
            "Fc": lambda: sign if direction is None else direction,
            "Fs-Fc": lambda: np.exp(-np.square(w / self.v_St)) * sign,
            "Fd": lambda: w / (self.v_d + size),
            "dFc": lambda: np.abs(sign),
            "dFv": lambda: size,
            "mu": lambda: np.abs(self._load(load)) * sign,
        }
        return {kind: formulas[kind]() for kind in kinds}

    def _load(self, load: Array | None) -> Array:
        if load is None:
            raise MissingData(
                "this friction law depends on the static torque at the drives (mu): friction needs"
                " axis positions too"
            )
        return load

    def derivative(self, w: ArrayLike) -> Array:
        """``d torque / d w``, shape ``(..., n)``.

        At ``w = 0`` it is ``Fv + Fd / v_d``, the slope of the continuous part.
        """
        speed = np.asarray(w, dtype=float)
        ratio = speed / self.v_St
        falling = -2.0 * (self.Fs - self.Fc) / self.v_St * np.abs(ratio) * np.exp(-np.square(ratio))
        if len(self.kinds) == 3:
            return np.asarray(self.Fv + falling)
        degressive = self.Fd * self.v_d / np.square(self.v_d + np.abs(speed))
        return np.asarray(self.Fv + falling + degressive + self.dFv * np.sign(speed))

    def load_derivative(self, w: Array, load: Array) -> Array:
        """``d torque / d load``, shape ``(..., n)``."""
        return np.asarray(self.mu * np.sign(w) * np.sign(load))

    def parameters(self) -> Array:
        """Linear parameters in the order of :attr:`kinds`, axis after axis, ``(kinds n,)``.

        Speeds ``v_St`` and ``v_d`` are fixed.
        """
        values = {"Fs-Fc": self.Fs - self.Fc}
        return np.stack(
            [values[kind] if kind in values else getattr(self, kind) for kind in self.kinds], axis=1
        ).ravel()

    def constants(self) -> dict[str, Array]:
        """Constants of programs by name: S000's always, of other terms those that are not zero."""
        rows = {"FC": self.Fc, "FD": self.Fs - self.Fc, "KS": self.v_St**-2.0, "FV": self.Fv}
        if "Fd" in self.kinds:
            rows["VG"] = self.v_d
        return rows | {CONSTANTS[kind]: getattr(self, kind) for kind in self.kinds[3:]}

    def with_parameters(self, parameters: Array) -> Stribeck:
        """Return the law with other :meth:`parameters`, its speeds as they are."""
        columns = np.reshape(parameters, (-1, len(self.kinds))).T
        values: dict[str, Any] = dict(zip(self.kinds, columns, strict=True))
        drop = values.pop("Fs-Fc")
        return replace(self, Fs=values["Fc"] + drop, **values)

    def regressor(
        self,
        w: Array,
        load: Array | None = None,
        temperature: Array | None = None,
        direction: Array | None = None,
    ) -> Array:
        """Matrix from :meth:`parameters` to the torques of states, shape ``(..., n, kinds n)``.

        Args:
            w: Drive speeds [rad/s, m/s], shape ``(..., n)``.
            load: Static torques at the drives [N m, N], same shape.
            temperature: Of the drives [deg C], same shape; NaN and None are the reference.
            direction: Of Coulomb friction (:class:`.FrictionDirection`), same shape; default
                ``sgn(w)``.

        Raises:
            MissingData: if the law needs the load and none is given.
        """
        n, columns = w.shape[-1], self._columns(w, load, self.kinds, direction)
        if temperature is not None and self.per_K.any():
            factor = self.viscous_factor(temperature)
            columns |= {kind: factor * columns[kind] for kind in VISCOUS if kind in columns}
        result = np.zeros((*w.shape[:-1], n * n, len(columns)))
        for k, column in enumerate(columns.values()):
            result[..., :: n + 1, k] = column
        return result.reshape(*w.shape, -1)

    def at(self, temperature: ArrayLike) -> Stribeck:
        """Return the law at a temperature [deg C], one for all axes or one per axis.

        Fv, dFv and Fd change by ``exp(per_K (T - T_0))``, as the viscosity of a lubricant does
        [Reynolds 1886]: they keep their sign however cold or hot it is. In joints of industrial
        robots viscous friction falls so, and Coulomb friction hardly changes [Bittencourt &
        Gunnarsson, Static Friction in a Robot Joint, 2012; Simoni et al., Modelling the temperature
        in joint friction of industrial manipulators, 2019]. The former also find a part of viscous
        friction that stays, and more static friction where it is warm: both are not in this law,
        whose ``per_K`` is that of the temperatures around it.

        Raises:
            InputError: if a temperature is not finite.
        """
        value = numbers(temperature, "a temperature [deg C]")
        degrees = finite(value, (self.Fv.size,) if value.ndim else (), "a temperature [deg C]")
        if self.reference_temperature is None:
            return self
        factor = self.viscous_factor(degrees)
        return replace(
            self,
            Fv=self.Fv * factor,
            dFv=self.dFv * factor,
            Fd=self.Fd * factor,
            per_K=_absent(),
            reference_temperature=None,
        )

    def viscous_change(self, w: Array, temperature: Array) -> Array:
        """Viscous friction at temperatures [deg C] less that at the reference, shape of ``w``."""
        present = tuple(kind for kind in VISCOUS if kind in self.kinds)
        parts = [getattr(self, kind) * x for kind, x in self._columns(w, None, present).items()]
        return np.asarray((self.viscous_factor(temperature) - 1.0) * sum(parts))

    def viscous_factor(self, temperature: Array) -> Array:
        """Viscous friction at temperatures [deg C] over that at the reference, same shape.

        1 where the temperature is NaN, unknown.
        """
        if self.reference_temperature is None:
            return np.ones_like(temperature)
        apart = np.nan_to_num(temperature - self.reference_temperature)
        return np.asarray(np.exp(self.per_K * apart))


def frictionless(n: int) -> Stribeck:
    """Return the law of ``n`` axes without friction."""
    return Stribeck(np.zeros(n), np.zeros(n), np.zeros(n), np.full(n, ANY_SPEED))


def check_law(law: Stribeck, n: int) -> Stribeck:
    """Return a law that ``n`` axes can have.

    Raises:
        InputError: if it is no law, of other axes, or would drive an axis.
    """
    if not isinstance(law, Stribeck):
        raise InputError(f"a friction law is an irbmodels.Stribeck, not {short_repr(law)}")
    for name in (*NAMES, *FURTHER):
        finite(getattr(law, name), (n,), f"{name} of the friction law")
    problem = problem_of(law)
    if problem is not None:
        got = ", ".join(f"{name} {getattr(law, name)[problem.axis]:g}" for name in problem.names)
        raise InputError(
            f"friction of axis {problem.axis + 1} would {problem.would} it: {problem.needs}, got"
            f" {got}"
        )
    if law.reference_temperature is not None:
        finite(law.reference_temperature, (), "reference_temperature [deg C] of the friction law")
    elif law.per_K.any():
        raise InputError(
            "a friction law with per_K needs reference_temperature, the temperature [deg C] that"
            " its parameters hold at"
        )
    return law


class Problem(NamedTuple):
    """Parameters of an axis that no drive has."""

    axis: int
    """From 0."""
    names: tuple[str, ...]
    needs: str
    would: str
    """``drive`` or ``lock``: what such friction would do to the axis."""


def problem_of(law: Stribeck) -> Problem | None:
    """Return the first bound that a law breaks, None where it takes power from every motion."""
    bounds: tuple[tuple[Mask, tuple[str, ...], str], ...] = (
        (
            (law.Fs < law.Fc) | (law.Fc < 0.0) | (law.Fv < 0.0) | (law.v_St <= 0.0),
            NAMES,
            "needs Fs >= Fc >= 0, Fv >= 0 and v_St > 0",
        ),
        (np.abs(law.dFc) > law.Fc, ("dFc", "Fc"), "needs |dFc| <= Fc"),
        (np.abs(law.dFv) > law.Fv, ("dFv", "Fv"), "needs |dFv| <= Fv"),
        ((law.Fd < 0.0) | (law.v_d <= 0.0), ("Fd", "v_d"), "needs Fd >= 0 and v_d > 0"),
        (law.mu < 0.0, ("mu",), "needs mu >= 0"),
        (
            (law.presliding < 0.0) | (law.presliding > 1.0) | (law.x_p <= 0.0),
            ("presliding", "x_p"),
            "needs presliding from 0 to 1 and x_p > 0",
        ),
        (law.mu >= 1.0, ("mu",), "needs mu < 1"),
    )
    for wrong, names, needs in bounds:
        if wrong.any():
            would = "lock" if needs.endswith("< 1") else "drive"
            return Problem(int(np.flatnonzero(wrong)[0]), names, needs, would)
    return None
