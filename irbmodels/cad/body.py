"""Parts of a link with material and colour, their mass properties, convex pieces for collision."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import manifold3d as m3
import numpy as np
import trimesh
from manifold3d import Manifold

from ..model.inertia import Inertial

Colour = Literal["orange", "black", "grey"]


class Material(NamedTuple):
    """Mean density of what a part is made of.

    The density of castings is what closes a robot to its mass.
    """

    name: str
    density: float
    """[kg/m^3]"""
    closes: bool = False


IRON = Material("grey cast iron", 7200.0, closes=True)
ALUMINIUM = Material("cast aluminium", 2700.0, closes=True)
STEEL = Material("steel", 7850.0)
MOTOR = Material("servo motor: copper, iron and some air", 4500.0)
GEAR = Material("reducer with bearings: mostly steel", 5500.0)
PLASTIC = Material("plastic cover", 1200.0)
AIR = Material("air", 0.0)


class Part(NamedTuple):
    """One solid [mm], base axes at home."""

    solid: Manifold
    material: Material
    colour: Colour | None = None
    """None for what is inside and not drawn: reducers, and the cavities of hollow castings."""
    moves: str = ""
    """Name of a part that moves within its link and is drawn apart: cylinder, rod of a balancer."""


@dataclass(frozen=True)
class Body:
    """A link.

    Where parts overlap, the one named first is there: list cavities, reducers and motors before the
    casting.
    """

    parts: tuple[Part, ...]
    pieces: tuple[Manifold, ...]
    """Solids whose convex hulls together cover the link for collision."""

    def drawn(self) -> dict[Colour, Manifold]:
        """Return what is seen, one solid per colour."""
        colours = dict.fromkeys(part.colour for part in self.parts if part.colour is not None)
        return {
            c: Manifold.batch_boolean([p.solid for p in self.parts if p.colour == c], m3.OpType.Add)
            for c in colours
        }

    def shown(self) -> dict[tuple[Colour, str], Manifold]:
        """Return what is seen, one solid per colour and part that moves within the link."""
        keys = dict.fromkeys((part.colour, part.moves) for part in self.parts)
        return {
            (colour, moves): Manifold.batch_boolean(
                [p.solid for p in self.parts if (p.colour, p.moves) == (colour, moves)],
                m3.OpType.Add,
            )
            for colour, moves in keys
            if colour is not None
        }

    def scaled(self, factor: float) -> Body:
        """Return the link ``factor`` times as large, about the origin of the base."""
        size = (factor, factor, factor)
        parts = (part._replace(solid=part.solid.scale(size)) for part in self.parts)
        return Body(tuple(parts), tuple(piece.scale(size) for piece in self.pieces))

    def mirrored(self) -> Body:
        """Return the link with left and right exchanged."""
        across = (0.0, 1.0, 0.0)
        parts = (part._replace(solid=part.solid.mirror(across)) for part in self.parts)
        return Body(tuple(parts), tuple(piece.mirror(across) for piece in self.pieces))

    @cached_property
    def split(self) -> tuple[tuple[Manifold, Material], ...]:
        """Parts cut so that no two overlap."""
        result, taken = [], Manifold()
        for part in self.parts:
            result.append((part.solid - taken, part.material))
            taken = taken + part.solid
        return tuple(result)

    def weighed(self, castings: float = 1.0) -> Inertial:
        """Return the mass properties [SI] in base axes at home.

        Castings have ``castings`` times their density.
        """
        return total(
            solid_inertial(solid, material.density * (castings if material.closes else 1.0))
            for solid, material in self.split
            if material.density and not solid.is_empty()
        )


def solid_inertial(solid: Manifold, density: float) -> Inertial:
    """Return the mass properties of a solid [mm] of one density [kg/m^3], in SI units."""
    mesh = solid.to_mesh64()
    surface = trimesh.Trimesh(mesh.vert_properties[:, :3] / 1000.0, mesh.tri_verts, process=False)
    surface.density = density
    return Inertial.of(surface.mass, surface.center_mass, surface.moment_inertia)


def at_mass(body: Inertial, mass: float) -> Inertial:
    """Return the same shape at another density."""
    return body.stretched((1.0, 1.0, 1.0), density=mass / body.mass)


def total(bodies: Iterable[Inertial]) -> Inertial:
    """Return several bodies as one."""
    group = list(bodies)
    mass = sum(body.mass for body in group)
    com = sum((body.mass * body.com for body in group), np.zeros(3)) / mass
    about_com = np.zeros((3, 3))
    for body in group:
        arm = body.com - com
        about_com += body.tensor + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Inertial.of(mass, com, about_com)


def closing(bodies: Mapping[str, Body], mass: float) -> float:
    """Return the factor on the densities of all castings by which bodies weigh ``mass`` [kg]."""
    solids = [
        (solid.volume() * 1e-9 * material.density, material)
        for body in bodies.values()
        for solid, material in body.split
    ]
    castings = sum(kg for kg, material in solids if material.closes)
    return float((mass - sum(kg for kg, material in solids if not material.closes)) / castings)
