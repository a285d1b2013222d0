"""An MJCF model, compiled by MuJoCo, as URDF: trees of hinge and slide joints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...errors import MissingExtra, UrdfError
from ...files import read_text
from ...model.inertia import Inertial
from ...model.joint_drives import JointFriction, JointRotor
from ...model.model import JointBound
from ...model.tree import UNLIMITED
from ..urdf_parts import UrdfBuilder
from .sdf import Converted

WORLD = "world"
UNBOUNDED = (-UNLIMITED, UNLIMITED, 0.0, 0.0)


def mjcf_to_urdf(path: Path) -> Converted:
    """Return an MJCF model as URDF.

    MuJoCo itself reads it, so that defaults, includes and angles are as it means them.

    Bodies and sites become links; a body with several joints gets a massless link between each two,
    and so does a joint that follows several (equalities between fixed tendons), or one that a motor
    moves by a fixed tendon, whose length is the axis. Shapes are left out.

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
    return _Converter(mujoco, model).converted()


class _Part(NamedTuple):
    """A joint, tendon or actuator with armature, damping and friction."""

    name: str
    turned_by: dict[str, float]
    """Its motion per motion of each joint."""
    armature: float
    damping: float
    frictionloss: float
    more: bool
    """True if it has a spring, or damping that is not proportional to speed."""


class _Converter:
    def __init__(self, mujoco: Any, model: Any) -> None:
        self.mujoco, self.model = mujoco, model
        _switch_off(mujoco, model)
        self.names = [WORLD, *(model.body(i).name or f"body_{i}" for i in range(1, model.nbody))]
        self.joints = [model.joint(i).name or f"joint_{i}" for i in range(model.njnt)]
        self.followers = self._followers()
        self.tendons = self._driven_by_tendons()
        self.followers = {name: self._by_axes(*given) for name, given in self.followers.items()}
        self.stated = {name for name in self.joints if len(self._chain(name)) < 2}
        self.robot = UrdfBuilder(
            str(getattr(model, "names", b"").split(b"\0")[0].decode() or "mjcf")
        )

    def converted(self) -> Converted:
        model = self.model
        self.robot.link(WORLD)
        for body in range(1, model.nbody):
            self._body(body)
        for site in range(model.nsite):
            if model.site(site).name:
                origin = _pose(model.site_pos[site], model.site_quat[site])
                self.robot.frame(model.site(site).name, self.names[model.site_bodyid[site]], origin)
        parts = list(self._parts())
        rotors = [JointRotor(part.armature, part.turned_by) for part in parts if part.armature]
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
        gravity = np.array(model.opt.gravity)
        base = pin.SE3.Identity()  # the root of the URDF is the world itself
        return Converted(
            self.robot.text(), gravity, rotors, friction, left_out, base, list(self._sums())
        )

    def _body(self, body: int) -> None:
        model, name = self.model, self.names[body]
        parent = self.names[model.body_parentid[body]]
        origin = _pose(model.body_pos[body], model.body_quat[body])
        self.robot.link(name, self._inertial(body))
        first = int(model.body_jntadr[body])
        last = first + int(model.body_jntnum[body]) - 1
        for joint in range(first, last + 1):
            anchor = pin.SE3(np.eye(3), model.jnt_pos[joint])
            reset = self._motion(joint, -float(model.qpos0[model.jnt_qposadr[joint]]))
            reset = reset * anchor.inverse()
            is_body = joint == last and reset == pin.SE3.Identity()
            child = name if is_body else f"{name}_{self.joints[joint]}"
            if not is_body:
                self.robot.link(child)
            self._joint(joint, parent, child, origin * anchor)
            parent, origin = child, reset
        if parent != name:
            self.robot.joint(f"{parent}-{name}", "fixed", parent, name, origin)

    def _joint(self, joint: int, parent: str, child: str, origin: pin.SE3) -> None:
        model, name = self.model, self.joints[joint]
        slides, tendon = self._kind(joint) == self.mujoco.mjtJoint.mjJNT_SLIDE, None
        limited, bounds = model.jnt_limited[joint], model.jnt_range[joint]
        sources, offset = self.followers.get(name, ({}, 0.0))
        if name in self.tendons:
            tendon, sources = self.tendons[name]
            limited, bounds = model.tendon_limited[tendon], model.tendon_range[tendon]
        low, high = bounds if limited else (-UNLIMITED, UNLIMITED)
        kind = "prismatic" if slides else "revolute" if limited else "continuous"
        limits = (float(low), float(high), 0.0, self._effort(joint, tendon))
        axis, mimic = model.jnt_axis[joint], None
        # turns about one axis add up: a massless link for each of them but the last
        *carriers, _ = self._chain(name)
        for carrier, (source, factor) in zip(carriers, sources.items(), strict=False):
            moved = child + carrier.removeprefix(name)
            self.robot.link(moved)
            follows = (source, factor, 0.0)
            self.robot.joint(carrier, kind, parent, moved, origin, axis, UNBOUNDED, mimic=follows)
            parent, origin = moved, pin.SE3.Identity()
        if tendon is None and sources:
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

    def _motion(self, joint: int, value: float) -> pin.SE3:
        """Return the displacement by a joint at position ``value``."""
        axis = self.model.jnt_axis[joint]
        if self._kind(joint) == self.mujoco.mjtJoint.mjJNT_SLIDE:
            return pin.SE3(np.eye(3), value * axis)
        return pin.SE3(pin.AngleAxis(value, axis).matrix(), np.zeros(3))

    def _inertial(self, body: int) -> Inertial | None:
        model = self.model
        if not model.body_mass[body]:
            return None
        rotation = _pose(np.zeros(3), model.body_iquat[body]).rotation
        tensor = rotation @ np.diag(model.body_inertia[body]) @ rotation.T
        mass, com = float(model.body_mass[body]), model.body_ipos[body]
        return Inertial.of(mass, com, 0.5 * (tensor + tensor.T))

    def _effort(self, joint: int, tendon: int | None) -> float:
        """Return the effort limit of a joint, or its tendon [N m, N]; 0 where there is none."""
        model, bounds, kinds = self.model, [], self.mujoco.mjtTrn
        kind, target = kinds.mjTRN_JOINT, joint
        if tendon is not None:
            kind, target = kinds.mjTRN_TENDON, tendon
        if tendon is None and model.jnt_actfrclimited[joint]:
            bounds.append(np.abs(model.jnt_actfrcrange[joint]).max())
        driving = (
            (model.actuator_trntype == kind)
            & (model.actuator_trnid[:, 0] == target)
            & (model.actuator_forcelimited != 0)
        )
        for actuator in np.flatnonzero(driving):
            largest = np.abs(model.actuator_forcerange[actuator]).max()
            bounds.append(largest * abs(model.actuator_gear[actuator, 0]))
        return float(min(bounds, default=0.0))

    def _followers(self) -> dict[str, tuple[dict[str, float], float]]:
        """Return the joints that each mimic joint follows, with their factors, and its offset."""
        model, kinds = self.model, self.mujoco.mjtEq
        followers: dict[str, tuple[dict[str, float], float]] = {}
        for number in np.flatnonzero(model.eq_active0).tolist():
            kind = int(model.eq_type[number])
            name = model.equality(number).name or f"number {number + 1}"
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
                terms = self._tendon(second) if tendons else {second: 1.0}
                for joint, share in terms.items():
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
            follower = max(sums) if tendons else first
            if self.joints[follower] in followers or follower not in sums:
                raise UrdfError(f"joint {self.joints[follower]!r} follows in two equalities")
            own = sums.pop(follower)
            factors = {self.joints[joint]: -share / own for joint, share in sums.items()}
            followers[self.joints[follower]] = factors, shift / own
        return followers

    def _driven_by_tendons(self) -> dict[str, tuple[int, dict[str, float]]]:
        """Return joints whose axis is a tendon: its number, and the joint less it by other joints.

        They are those where motors drive as many joints and fixed tendons as there are free
        joints, and each such tendon, a sum with factors 1 and -1, has one joint that no motor
        drives, with the factor 1: the tendon is the axis then, such as axis 3 of a parallelogram
        arm.
        """
        model, kinds = self.model, self.mujoco.mjtTrn
        targets = {
            (int(kind), int(target))
            for kind, target in zip(model.actuator_trntype, model.actuator_trnid[:, 0], strict=True)
        }
        free = {joint for joint, name in enumerate(self.joints) if name not in self.followers}
        alone = free - {target for kind, target in targets if kind == kinds.mjTRN_JOINT}
        driven: dict[str, tuple[int, dict[str, float]]] = {}
        for kind, target in sorted(targets):
            if kind != kinds.mjTRN_TENDON or not self._is_fixed(target):
                continue
            terms = self._tendon(target)
            own = [joint for joint in terms if joint in alone]
            whole = set(map(abs, terms.values())) == {1.0}
            if whole and len(own) == 1 and terms.pop(own[0]) == 1.0 and terms.keys() <= free:
                others = {self.joints[joint]: -share for joint, share in terms.items()}
                driven[self.joints[own[0]]] = target, others
        return driven if len(driven) == len(alone) and len(targets) == len(free) else {}

    def _by_axes(self, factors: dict[str, float], offset: float) -> tuple[dict[str, float], float]:
        """Return what a joint follows in terms of axes, for joints whose axis is a tendon."""
        result = dict.fromkeys(factors, 0.0)
        for name, factor in factors.items():
            result[name] += factor
            for other, share in self.tendons.get(name, (0, {}))[1].items():
                result[other] = result.get(other, 0.0) + factor * share
        return {name: factor for name, factor in result.items() if factor}, offset

    def _chain(self, name: str) -> list[str]:
        """Return the joints of the URDF whose sum is a joint; the last one has its name."""
        if name in self.tendons:
            carriers = list(self.tendons[name][1])
        else:
            carriers = list(self.followers.get(name, ({}, 0.0))[0])[:-1]
        return [*(f"{name}_{source}" for source in carriers), name]

    def _sums(self) -> Iterator[JointBound]:
        """Yield ranges of sums of axes: of joints whose axis is a tendon, and of other tendons."""
        model, axes = self.model, [tendon for tendon, _ in self.tendons.values()]
        ranges = [
            ({name: 1.0}, model.jnt_range[joint])
            for joint, name in enumerate(self.joints)
            if name in self.tendons and model.jnt_limited[joint]
        ]
        for tendon in np.flatnonzero(model.tendon_limited).tolist():
            if tendon not in axes and self._is_fixed(tendon):
                terms = {self.joints[i]: share for i, share in self._tendon(tendon).items()}
                ranges.append((terms, model.tendon_range[tendon]))
        for terms, (low, high) in ranges:
            factors, _ = self._by_axes(terms, 0.0)
            whole = set(map(abs, factors.values())) == {1.0}
            if len(factors) > 1 and whole and not factors.keys() & self.followers.keys():
                yield JointBound(float(low), float(high), factors)

    def _tendon(self, tendon: int) -> dict[int, float]:
        """Return the joints of a fixed tendon with their coefficients."""
        model, coefficients = self.model, dict[int, float]()
        if not self._is_fixed(tendon):
            raise UrdfError(
                f"tendon {model.tendon(tendon).name!r} is spatial; only fixed ones are read"
            )
        for wrap in self._wraps(tendon):
            joint = int(model.wrap_objid[wrap])
            coefficients[joint] = coefficients.get(joint, 0.0) + float(model.wrap_prm[wrap])
        return coefficients

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
            name = f"tendon {model.tendon(tendon).name or tendon + 1}"
            spring = bool(model.tendon_stiffness[tendon])
            if self._is_fixed(tendon) or model.tendon_armature[tendon]:
                yield self._part(name, self._tendon(tendon), "tendon", tendon, spring)
            elif spring or model.tendon_damping[tendon] or model.tendon_frictionloss[tendon]:
                yield _Part(name, {}, 0.0, 0.0, 0.0, True)
        for actuator in range(model.nu):
            target, kind = int(model.actuator_trnid[actuator, 0]), model.actuator_trntype[actuator]
            if kind == kinds.mjTRN_JOINT:
                driven = {target: 1.0}
            elif kind == kinds.mjTRN_TENDON and self._is_fixed(target):
                driven = self._tendon(target)
            else:
                continue
            name = f"actuator {model.actuator(actuator).name or actuator + 1}"
            gear = float(model.actuator_gear[actuator, 0])
            driven = {joint: gear * share for joint, share in driven.items()}
            yield self._part(name, driven, "actuator", actuator, False)

    def _part(
        self, name: str, driven: dict[int, float], kind: str, index: int, spring: bool
    ) -> _Part:
        """Return a part whose data are in MuJoCo's arrays ``kind_...`` at an index."""

        def value(key: str) -> Any:
            return getattr(self.model, f"{kind}_{key}", np.zeros(index + 1))[index]

        turned_by: dict[str, float] = {}
        for joint, share in driven.items():
            turned_by |= dict.fromkeys(self._chain(self.joints[joint]), share)
        armature, damping, friction = (
            float(value(key)) for key in ("armature", "damping", "frictionloss")
        )
        more = spring or bool(np.any(value("dampingpoly")))
        return _Part(name, turned_by, armature, damping, friction, more)


def _switch_off(mujoco: Any, model: Any) -> None:
    """Set quantities to 0 that the flags of a model disable."""
    flags = mujoco.mjtDisableBit
    for flag, arrays in (
        (flags.mjDSBL_GRAVITY, (model.opt.gravity, model.body_gravcomp)),
        (flags.mjDSBL_DAMPER, (model.dof_damping, model.tendon_damping)),
        (flags.mjDSBL_SPRING, (model.jnt_stiffness, model.tendon_stiffness)),
        (flags.mjDSBL_FRICTIONLOSS, (model.dof_frictionloss, model.tendon_frictionloss)),
    ):
        for array in arrays if model.opt.disableflags & flag else ():
            array[:] = 0.0


def _pose(position: ArrayLike, wxyz: ArrayLike) -> pin.SE3:
    return pin.SE3(pin.Quaternion(np.roll(wxyz, -1)).normalized().matrix(), np.asarray(position))
