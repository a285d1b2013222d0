"""Sets of inertials from the CAD of others, closed to the mass of the robot.

For families whose published.yaml has no recipe of its own: moving links of a published set share
one density, and the base weighs what limits.yaml states of it. Both they and ``cad`` are derived;
the default stays ``cad``, which every variant of a family has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import TableError
from ..model.provenance import Source
from ..tables.description import Description
from ..tables.reader import check_known, read
from .body import at_mass
from .builds import robot_mass
from .inertial_table import DerivedSet, SourcedBodies
from .inertials import Derived
from .published import Published, published


def scaled_sets(robots: Sequence[Description], drawing: Derived) -> Derived:
    """Return the drawn sets, and ``NAME_scaled`` of every published set ``NAME``.

    It is of the variant that the set states, whose moving links have one density: they and the base
    sum to the robot's mass. Where limits.yaml states a base, it has that mass and centre. What the
    set calls placeholders are the bodies of ``cad``.

    Raises:
        TableError: if a set states no variant of the family.
        MissingData: if the mass of its robot is unknown.
    """
    sources, sets = dict(drawing[0]), dict(drawing[1])
    file, known = robots[0].folder / "published.yaml", [robot.name for robot in robots]
    for name, entry in read(file, Published).sets.items():
        if entry.variant is None:
            raise TableError(file, f"sets.{name}", "needs variant: the arm that its bodies are of")
        check_known("variant", [entry.variant], known, file, f"sets.{name}.variant")
        robot = robots[known.index(entry.variant)]
        drawn = sets["cad"].variants.get(robot.name, sets["cad"].rows)
        rows: SourcedBodies = {link: drawn[link] for link in entry.placeholders}
        given, base, whole = published(robot)[name], robot.limits.base, robot_mass(robot)
        if base is not None:
            body, numbers = at_mass(given["base_link"], base.mass_kg), "{mass_kg: base"
            if base.com_mm is not None:
                body = body._replace(com=np.array(base.com_mm) / 1000.0)
            where = "base" if base.com_mm is not None else f"{name}_scaled"
            numbers += f", com_mm: {where}, inertia_kg_m2: {name}_scaled}}"
            rows["base_link"] = body, numbers
            sources["base"] = robot.limits.sources[base.source_of("mass_kg")]
        rest = whole - sum(body.mass for body, _ in rows.values())
        density = rest / sum(body.mass for link, body in given.items() if link not in rows)
        rows |= {
            link: (at_mass(body, density * body.mass), f"{name}_scaled")
            for link, body in given.items()
            if link not in rows
        }
        how = f"one density, times {density:.4f}, closes the moving links to {whole:g} kg"
        if base is not None:
            how += f" less {base.mass_kg:g} kg of the base, whose tensor is scaled alike"
        if entry.placeholders:
            how += f"; {', '.join(entry.placeholders)} as in cad: the source has placeholders"
        sources[f"{name}_scaled"] = Source(f"published.yaml, set {name}", "derived", how=how)
        others = tuple(one for one in known if one != robot.name)
        ordered = {link: rows[link] for link in given}
        about = f"CAD of others (published.yaml, set {name}) at the mass of the {robot.name}"
        sets[f"{name}_scaled"] = DerivedSet(about, ordered, unknown=others)
    return sources, sets
