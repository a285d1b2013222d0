"""An MJCF model as URDF text: what MuJoCo compiles, as far as it is a tree of hinges and slides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import MissingExtra, UrdfError
from ...files import read_text
from ...model.friction import JointFriction
from ...model.inertia import Inertial
from ...model.tree import UNLIMITED
from ...model.types import Array
from ..urdf_parts import UrdfParts
from .sdf import Converted, Rotor

WORLD = "world"
UNBOUNDED = (-UNLIMITED, UNLIMITED, 0.0, 0.0)


def mjcf_to_urdf(path: Path) -> Converted:
    """Return an MJCF model as URDF.

    MuJoCo itself reads it, so that defaults, includes and angles are as it means them.

    Bodies and sites become links; a body with several joints gets a massless link between each two,
    and so does a joint that follows several (equalities between fixed tendons). Shapes are left
    out.

    Raises:
        MissingExtra: if MuJoCo is not installed.
        UrdfError: if MuJoCo does not read it, or it has ball or free joints, loops, or equalities
            that are not linear.
    """
    try:
        import mujoco
    except ImportError as err:
        raise MissingExtra("mujoco", "export") from err
    try:
        if path.suffix == ".xml":
            spec = mujoco.MjSpec.from_file(str(path))
        else:  # MuJoCo opens no other
            spec = mujoco.MjSpec.from_string(read_text(path))
            spec.modelfiledir = str(path.resolve().parent)
        model = spec.compile()
    except (ValueError, RuntimeError, mujoco.FatalError) as err:
        raise UrdfError(f"MuJoCo cannot read this: {' '.join(str(err).split())}") from err
    return _Bodies(mujoco, model).converted()


class _Part(NamedTuple):
    """A joint, tendon or actuator, with what it adds to the joints that turn it."""

    name: str
    turned_by: dict[str, float]
    armature: float
    damping: float
    frictionloss: float
    more: bool
    """Whether it has a spring, or damping that is no multiple of speed."""


class _Bodies:
    def __init__(self, mujoco: Any, model: Any) -> None:
        self.mujoco, self.model = mujoco, model
        _switch_off(mujoco, model)
        self.names = [WORLD, *(model.body(i).name or f"body_{i}" for i in range(1, model.nbody))]
        self.joints = [model.joint(i).name or f"joint_{i}" for i in range(model.njnt)]
        self.followers = self._followers()
        self.stated = {
            name for name in self.joints if len(self.followers.get(name, ({}, 0.0))[0]) < 2
        }
        self.robot = UrdfParts(str(getattr(model, "names", b"").split(b"\0")[0].decode() or "mjcf"))

    def converted(self) -> Converted:
        model = self.model
        self.robot.link(WORLD)
        for body in range(1, model.nbody):
            self._body(body)
        for site in range(model.nsite):
            if model.site(site).name:
                origin = self._pose(model.site_pos[site], model.site_quat[site])
                self.robot.frame(model.site(site).name, self.names[model.site_bodyid[site]], origin)
        parts = list(self._parts())
        rotors = [Rotor(part.armature, part.turned_by) for part in parts if part.armature]
        friction = [
            JointFriction(part.damping, part.frictionloss, part.turned_by)
            for part in parts
            if (part.damping or part.frictionloss) and part.name not in self.stated
        ]
        left_out = [part.name for part in parts if part.more]
        left_out += [
            f"gravity compensation of {self.names[body]}"
            for body in np.flatnonzero(model.body_gravcomp)
        ]
        if model.opt.density or model.opt.viscosity:
            left_out.append("the fluid")
        return Converted(self.robot.text(), np.array(model.opt.gravity), rotors, friction, left_out)

    def _body(self, body: int) -> None:
        model, name = self.model, self.names[body]
        parent, origin = (
            self.names[model.body_parentid[body]],
            self._pose(model.body_pos[body], model.body_quat[body]),
        )
        self.robot.link(name, self._inertial(body))
        first = int(model.body_jntadr[body])
        for joint in range(first, first + int(model.body_jntnum[body])):
            at, back = np.eye(4), self._motion(joint, -float(model.qpos0[model.jnt_qposadr[joint]]))
            at[:3, 3], back[:3, 3] = (
                model.jnt_pos[joint],
                back[:3, 3] - back[:3, :3] @ model.jnt_pos[joint],
            )
            last = joint == first + int(model.body_jntnum[body]) - 1 and np.array_equal(
                back, np.eye(4)
            )
            child = name if last else f"{name}_{self.joints[joint]}"
            if not last:
                self.robot.link(child)
            self._joint(joint, parent, child, origin @ at)
            parent, origin = child, back
        if parent != name:
            self.robot.joint(f"{parent}-{name}", "fixed", parent, name, origin)

    def _joint(self, joint: int, parent: str, child: str, origin: Array) -> None:
        model, name = self.model, self.joints[joint]
        slides = self._kind(joint) == self.mujoco.mjtJoint.mjJNT_SLIDE
        low, high = model.jnt_range[joint] if model.jnt_limited[joint] else (-UNLIMITED, UNLIMITED)
        kind = "prismatic" if slides else "revolute" if model.jnt_limited[joint] else "continuous"
        limits = (float(low), float(high), 0.0, self._effort(joint))
        axis, mimic = model.jnt_axis[joint], None
        if name in self.followers:
            sources, offset = self.followers[name]
            # turns about one axis add up: a massless link for each source more
            for source, factor in list(sources.items())[:-1]:
                carrier = _carrier(child, source)
                self.robot.link(carrier)
                self.robot.joint(
                    _carrier(name, source),
                    kind,
                    parent,
                    carrier,
                    origin,
                    axis,
                    UNBOUNDED,
                    mimic=(source, factor, 0.0),
                )
                parent, origin = carrier, np.eye(4)
            last = list(sources)[-1]
            mimic = (last, sources[last], offset)
            if len(sources) > 1:
                limits = UNBOUNDED  # its bounds are those of a sum
        dof = model.jnt_dofadr[joint]
        friction = (
            (float(model.dof_damping[dof]), float(model.dof_frictionloss[dof]))
            if name in self.stated
            else (0.0, 0.0)
        )
        self.robot.joint(name, kind, parent, child, origin, axis, limits, mimic, friction)

    def _kind(self, joint: int) -> int:
        kind, kinds = int(self.model.jnt_type[joint]), self.mujoco.mjtJoint
        if kind not in (kinds.mjJNT_HINGE, kinds.mjJNT_SLIDE):
            shown = kinds(kind).name.removeprefix("mjJNT_").lower()
            raise UrdfError(
                f"joint {self.joints[joint]!r} is {shown!r}; only hinge and slide joints are read"
            )
        return kind

    def _motion(self, joint: int, value: float) -> Array:
        """Return how a joint moves what it carries when it stands at ``value``."""
        if self._kind(joint) == self.mujoco.mjtJoint.mjJNT_SLIDE:
            result = np.eye(4)
            result[:3, 3] = value * self.model.jnt_axis[joint]
            return result
        half, axis = 0.5 * value, self.model.jnt_axis[joint]
        return self._pose(np.zeros(3), [np.cos(half), *(np.sin(half) * axis)])

    def _pose(self, position: Array, wxyz: Any) -> Array:
        w, x, y, z = np.asarray(wxyz) / np.linalg.norm(wxyz)
        result = np.eye(4)
        result[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        result[:3, 3] = position
        return result

    def _inertial(self, body: int) -> Inertial | None:
        model = self.model
        if not model.body_mass[body]:
            return None
        turn = self._pose(np.zeros(3), model.body_iquat[body])[:3, :3]
        tensor = turn @ np.diag(model.body_inertia[body]) @ turn.T
        return Inertial.of(
            float(model.body_mass[body]), model.body_ipos[body], 0.5 * (tensor + tensor.T)
        )

    def _effort(self, joint: int) -> float:
        """Return the largest torque that the file allows; 0 where it says none."""
        model, bounds = self.model, []
        if model.jnt_actfrclimited[joint]:
            bounds.append(np.abs(model.jnt_actfrcrange[joint]).max())
        for number in range(model.nu):
            drives = model.actuator_trntype[number] == self.mujoco.mjtTrn.mjTRN_JOINT
            if (
                drives
                and model.actuator_trnid[number, 0] == joint
                and model.actuator_forcelimited[number]
            ):
                bounds.append(
                    np.abs(model.actuator_forcerange[number]).max()
                    * abs(model.actuator_gear[number, 0])
                )
        return float(min(bounds, default=0.0))

    def _followers(self) -> dict[str, tuple[dict[str, float], float]]:
        """Return what each joint that follows others is made of: their factors, and an offset."""
        model, kinds, found = (
            self.model,
            self.mujoco.mjtEq,
            dict[str, tuple[dict[str, float], float]](),
        )
        for number in range(model.neq):
            if not model.eq_active0[number]:
                continue
            kind, name = (
                int(model.eq_type[number]),
                model.equality(number).name or f"number {number + 1}",
            )
            if kind not in (kinds.mjEQ_JOINT, kinds.mjEQ_TENDON):
                shown = kinds(kind).name.removeprefix("mjEQ_").lower()
                raise UrdfError(
                    f"equality {name} is a {shown!r}; only those between joints and between fixed"
                    " tendons are read"
                )
            first, second = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
            shift, factor, *higher = model.eq_data[number, :5].tolist()
            tendons = kind == kinds.mjEQ_TENDON
            sums = self._tendon(first) if tendons else {first: 1.0}
            if second >= 0:
                for joint, share in (self._tendon(second) if tendons else {second: 1.0}).items():
                    sums[joint] = sums.get(joint, 0.0) - factor * share
            else:
                higher = []  # they belong to the second
            sums = {joint: share for joint, share in sums.items() if share}
            if len(sums) < 2 or any(higher):
                raise UrdfError(f"equality {name} is no straight line between joints")
            shift += sum(
                share * float(model.qpos0[model.jnt_qposadr[joint]])
                for joint, share in sums.items()
            )
            # of a tendon the joint that comes last
            follower = first if kind == kinds.mjEQ_JOINT else max(sums)
            if self.joints[follower] in found or follower not in sums:
                raise UrdfError(f"joint {self.joints[follower]!r} follows in two equalities")
            own = sums.pop(follower)
            found[self.joints[follower]] = (
                {self.joints[joint]: -share / own for joint, share in sums.items()},
                shift / own,
            )
        return found

    def _tendon(self, tendon: int) -> dict[int, float]:
        """Return the joints of a fixed tendon with their coefficients."""
        model, parts = self.model, dict[int, float]()
        if not self._is_fixed(tendon):
            raise UrdfError(
                f"tendon {model.tendon(tendon).name!r} is spatial; only fixed ones are read"
            )
        for wrap in self._wraps(tendon):
            joint = int(model.wrap_objid[wrap])
            parts[joint] = parts.get(joint, 0.0) + float(model.wrap_prm[wrap])
        return parts

    def _wraps(self, tendon: int) -> range:
        first = int(self.model.tendon_adr[tendon])
        return range(first, first + int(self.model.tendon_num[tendon]))

    def _is_fixed(self, tendon: int) -> bool:
        return all(
            self.model.wrap_type[wrap] == self.mujoco.mjtWrap.mjWRAP_JOINT
            for wrap in self._wraps(tendon)
        )

    def _parts(self) -> Iterator[_Part]:
        """Yield joints, tendons, and the actuators that drive either.

        Of spatial tendons only what is left out.
        """
        model, kinds = self.model, self.mujoco.mjtTrn
        for joint, name in enumerate(self.joints):
            dof = int(model.jnt_dofadr[joint])
            yield self._part(name, {joint: 1.0}, "dof", dof, bool(model.jnt_stiffness[joint]))
        for tendon in range(model.ntendon):
            name, spring = (
                f"tendon {model.tendon(tendon).name or tendon + 1}",
                bool(model.tendon_stiffness[tendon]),
            )
            if self._is_fixed(tendon) or model.tendon_armature[tendon]:
                yield self._part(name, self._tendon(tendon), "tendon", tendon, spring)
            elif spring or model.tendon_damping[tendon] or model.tendon_frictionloss[tendon]:
                yield _Part(name, {}, 0.0, 0.0, 0.0, True)
        for actuator in range(model.nu):
            name, target = (
                f"actuator {model.actuator(actuator).name or actuator + 1}",
                int(model.actuator_trnid[actuator, 0]),
            )
            if model.actuator_trntype[actuator] == kinds.mjTRN_JOINT:
                moved = {target: 1.0}
            elif model.actuator_trntype[actuator] == kinds.mjTRN_TENDON and self._is_fixed(target):
                moved = self._tendon(target)
            else:
                continue
            gear = float(model.actuator_gear[actuator, 0])
            moved = {joint: gear * share for joint, share in moved.items()}
            yield self._part(name, moved, "actuator", actuator, False)

    def _part(
        self, name: str, moved: dict[int, float], kind: str, index: int, spring: bool
    ) -> _Part:
        def value(key: str) -> Any:
            return getattr(self.model, f"{kind}_{key}", np.zeros(index + 1))[index]

        parts = self._turning({self.joints[joint]: share for joint, share in moved.items()})
        armature, damping, frictionloss = (
            float(value(key)) for key in ("armature", "damping", "frictionloss")
        )
        return _Part(
            name,
            parts,
            armature,
            damping,
            frictionloss,
            spring or bool(np.any(value("dampingpoly"))),
        )

    def _turning(self, parts: dict[str, float]) -> dict[str, float]:
        """Return the URDF's joints in place of MuJoCo's: one that follows several is several."""
        result: dict[str, float] = {}
        for name, share in parts.items():
            sources = list(self.followers.get(name, ({}, 0.0))[0])
            result |= {_carrier(name, source): share for source in sources[:-1]} | {name: share}
        return result


def _switch_off(mujoco: Any, model: Any) -> None:
    """Put to 0 what a model states, and switches off by its flags."""
    flags = mujoco.mjtDisableBit
    for flag, arrays in (
        (flags.mjDSBL_GRAVITY, (model.opt.gravity, model.body_gravcomp)),
        (flags.mjDSBL_DAMPER, (model.dof_damping, model.tendon_damping)),
        (flags.mjDSBL_SPRING, (model.jnt_stiffness, model.tendon_stiffness)),
        (flags.mjDSBL_FRICTIONLOSS, (model.dof_frictionloss, model.tendon_frictionloss)),
    ):
        for array in arrays if model.opt.disableflags & flag else ():
            array[:] = 0.0


def _carrier(name: str, source: str) -> str:
    return f"{name}_{source}"
