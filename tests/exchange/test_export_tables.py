"""Tables: read again they are the robot's numbers; a reader of the MATLAB script rebuilds poses,
mass matrix and torques.
"""

import csv
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
import shipped

import irbmodels as irb
from irbmodels.exchange.write.tables import TABLE_FORMATS, TABLES, tables, tables_text, write_tables
from irbmodels.model.rotations import rotation_x, rotation_z, translation

GRADES = {"measured", "identified", "published", "derived", "assumed"}


def robot_of(name):
    return irb.load(name, tool="spindle" if name.startswith("irb2400") else None)


def read_csv(folder, name):
    with (folder / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def variables(rows, q):
    """Evaluate the column ``variable``: q2, q3 - q2."""
    values = {f"q{i + 1}": value for i, value in enumerate(q)}
    words = [row["variable"].split() for row in rows if row["variable"]]
    return [values[first] - (values[rest[1]] if rest else 0.0) for first, *rest in words]


@pytest.mark.parametrize("name", shipped.EXAMPLES)
def test_csv_and_json_are_the_robot(name, tmp_path):
    """Poses from both DH tables, limits and inertials read from the files are the robot's to 1e-12;
    JSON says the same.
    """
    robot, q = robot_of(name), np.random.default_rng(5).uniform(-0.3, 0.3, 6)
    q, home = q[: robot.n], np.eye(4)
    write_tables(robot, "csv", tmp_path)
    actual = {
        table: read_csv(tmp_path, f"{robot.name}_{table}.csv")
        for table in (*TABLES, "sources")
        if table != "friction"
    }
    pose = home
    for row, variable in zip(actual["mdh"], [*variables(actual["mdh"], q), 0.0], strict=True):
        alpha, a, d, theta = (float(row[key]) for key in ("alpha_rad", "a_m", "d_m", "theta0_rad"))
        theta, d = (theta, d + variable) if row["type"] == "prismatic" else (theta + variable, d)
        pose = (
            pose
            @ rotation_x(alpha)
            @ translation(a, 0, 0)
            @ rotation_z(theta)
            @ translation(0, 0, d)
        )
    np.testing.assert_allclose(pose, robot.pose(q, "tool0").homogeneous, rtol=0, atol=1e-12)
    pose = home
    for row, variable in zip(actual["dh"], variables(actual["dh"], q), strict=True):
        alpha, a, d, theta = (float(row[key]) for key in ("alpha_rad", "a_m", "d_m", "theta0_rad"))
        theta, d = (theta, d + variable) if row["type"] == "prismatic" else (theta + variable, d)
        pose = pose @ rotation_z(theta) @ translation(a, 0, d) @ rotation_x(alpha)
    np.testing.assert_allclose(pose, robot.pose(q, "tool0").homogeneous, rtol=0, atol=1e-12)
    for bound in ("lower", "upper", "velocity", "effort"):
        np.testing.assert_allclose(
            [float(row[bound]) for row in actual["limits"]],
            getattr(robot.limits, bound),
            rtol=1e-12,
        )
    assert [row["position_unit"] for row in actual["limits"]] == [
        "m" if linear else "rad" for linear in robot.limits.linear
    ]
    rows = robot.description.inertials.sets[robot.parameters].links
    bodies = {row["body"]: row for row in actual["inertials"]}
    for link, expected in ((link, row.inertial()) for link, row in rows.items()):
        com = [float(bodies[link][f"com_{axis}_m"]) for axis in "xyz"]
        np.testing.assert_allclose(
            [float(bodies[link]["mass_kg"]), *com], [expected.mass, *expected.com], rtol=1e-12
        )
        for key, place in {
            "Ixx": (0, 0),
            "Iyy": (1, 1),
            "Izz": (2, 2),
            "Ixy": (0, 1),
            "Ixz": (0, 2),
            "Iyz": (1, 2),
        }.items():
            assert float(bodies[link][f"{key}_kg_m2"]) == pytest.approx(
                expected.tensor[place], rel=1e-12, abs=0
            )
    known = {(row["table"], row["source"]) for row in actual["sources"]}
    for table, label in (("mdh", "kinematics"), ("inertials", "inertials")):
        for row in actual[table]:
            assert row["grade"] in GRADES
            if not row.get("body", "").startswith("tool"):
                names = [word.rpartition(": ")[2] for word in row["source"].split("; ")]
                assert {(label, word) for word in names} <= known
    content = json.loads(tables_text(robot, "json")[f"{robot.name}.json"])
    for table, rows in actual.items():
        for ours, theirs in zip(rows, content["tables"][table]["rows"], strict=True):
            assert ours == {
                key: repr(cell) if isinstance(cell, float) else cell for key, cell in theirs.items()
            }


def test_friction_and_loads():
    """The 2400 has its friction, tool and payload in the tables, each with its grade."""
    robot = robot_of("irb2400").with_payload(irb.payload(2.0))
    made = {table.name: table for table in tables(robot)}
    assert list(made) == [*TABLES, "sources"]
    column = {name: i for i, name in enumerate(made["friction"].columns)}
    for name in ("Fs", "Fc", "Fv", "v_St"):
        assert [row[column[name]] for row in made["friction"].rows] == getattr(
            robot.friction_model, name
        ).tolist()
    assert {row[column["grade"]] for row in made["friction"].rows} == {"identified"}
    loads = {row[0]: row for row in made["inertials"].rows}
    assert loads["tool spindle"][1:3] == ("tool0", 12.7)
    assert loads["payload"][1:3] == ("tcp", 2.0)


def test_robots_from_files_have_limits_and_inertials(tmp_path):
    """What a URDF does not hold is left out, or refused when asked for."""
    robot = irb.from_urdf(irb.urdf_path("irb1600"))
    assert [table.name for table in tables(robot)] == ["limits", "inertials"]
    with pytest.raises(irb.MissingData, match="no table mdh"):
        tables(robot, ["mdh"])
    assert len(write_tables(robot, "latex", tmp_path)) == 1


@pytest.mark.parametrize("fmt", TABLE_FORMATS)
def test_what_is_asked_for_wrongly(fmt, tmp_path):
    robot = robot_of("irb1600")
    with pytest.raises(irb.IrbError):
        write_tables(robot, fmt, tmp_path, ["friktion"])
    with pytest.raises(irb.InputError, match=r"what=\['dh'\]"):
        tables(robot, "dh")
    with pytest.raises(irb.UnknownName, match="no format of tables 'xls'"):
        tables_text(robot, "xls")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["irb2400", "irb930"])
def test_latex_is_well_formed(name, tmp_path):
    """Every row has the columns of its tabular, braces and environments are balanced; where there
    is a LaTeX, it takes it.
    """
    text = tables_text(robot_of(name), "latex")[f"{robot_of(name).name}.tex"]
    actual = re.findall(
        r"\\begin\{tabular\}\{([^\n]*)\}\n\\toprule\n(.*?)\\bottomrule", text, re.DOTALL
    )
    assert (
        len(actual)
        == text.count("\\begin{table}")
        == text.count("\\end{table}")
        == (6 if name == "irb2400" else 5)
    )
    for layout, body in actual:
        columns = len(re.sub(r"p\{.*?\}", "l", layout))
        rows = [line for line in body.splitlines() if line != "\\midrule"]
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {columns}
        assert all(row.endswith(r" \\") for row in rows)
    plain = re.sub(r"\\[{}$&%#_]", "", text)
    assert plain.count("{") == plain.count("}")
    assert plain.count("$") % 2 == 0
    assert not re.search(
        r"(?<!\\)[_#^~](?!\{)(?![^$\n]*\$)",
        re.sub(r"\$[^$]*\$|^%.*", "", plain, flags=re.MULTILINE),
    )
    if (
        shutil.which("pdflatex")
        and subprocess.run(
            ["kpsewhich", "booktabs.sty"], capture_output=True, check=False
        ).returncode
        == 0
    ):
        page = (
            "\\documentclass{article}\\usepackage{booktabs,graphicx}\\begin{document}"
            + text
            + "\\end{document}"
        )
        (tmp_path / "t.tex").write_text(page, encoding="utf-8")
        subprocess.run(
            ["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True, capture_output=True
        )


# --- MATLAB


class Matlab:
    """As much of MATLAB and its rigidBodyTree as the script uses, with the toolbox's own defaults
    and conventions.
    """

    def __init__(self, text):
        self.variables, self.bodies = {}, {}
        for line in text.splitlines():
            line = line.strip()
            if not line or line.startswith(("%", "function")) or line == "end":
                continue
            assert line.endswith(";"), line
            self.statement(line[:-1])

    def statement(self, line):
        """Run one statement."""
        call = re.fullmatch(r"(setFixedTransform|addBody)\((\w+), (.*)\)", line)
        if call:
            what, name, rest = call.groups()
            if what == "setFixedTransform":
                self.variables[name]["T"] = self.value(rest)
            else:
                body, parent = rest.split(", ")
                body = self.variables[body]
                assert self.value(parent) in ({*self.bodies} | {self.variables[name]["BaseName"]})
                assert body["name"] not in self.bodies
                self.bodies[body["name"]] = body | {"parent": self.value(parent)}
            return
        target, value = line.split(" = ", 1)
        name, _, field = target.partition(".")
        if field:
            known = {
                "robot": {"BaseName", "Gravity"},
                "body": {"Joint", "Mass", "CenterOfMass", "Inertia"},
            }
            assert field in known.get(name, {"JointAxis", "PositionLimits", "HomePosition"})
            self.variables[name][field] = self.value(value)
        else:
            self.variables[name] = self.value(value)

    def value(self, text):
        """Return what an expression stands for."""
        made = re.fullmatch(r"(\w+)\((.*)\)", text)
        if made:
            words = [self.value(word) for word in made[2].split(", ")]
            if made[1] == "rigidBodyTree":
                return {"BaseName": "base", "Gravity": np.zeros(3)}
            if made[1] == "rigidBody":
                return {
                    "name": words[0],
                    "Mass": 1.0,
                    "CenterOfMass": np.zeros(3),
                    "Inertia": np.array([1, 1, 1, 0, 0, 0]),
                }
            assert made[1] == "rigidBodyJoint"
            return {
                "name": words[0],
                "type": words[1],
                "T": np.eye(4),
                "JointAxis": np.array([0, 0, 1]),
            }
        if text.startswith("'"):
            return text[1:-1].replace("''", "'")
        if text.startswith("["):
            rows = [[float(word) for word in row.split()] for row in text[1:-1].split(";")]
            return np.array(rows[0] if len(rows) == 1 else rows)
        return self.variables[text] if text in self.variables else float(text)

    def moving(self):
        """Bodies with a joint that moves, in the order of a configuration."""
        return [body for body in self.bodies.values() if body["Joint"]["type"] != "fixed"]

    def poses(self, q):
        """Forward kinematics: parent, fixed transform, turn about or slide along JointAxis."""
        values, result = iter(q), {self.variables["robot"]["BaseName"]: np.eye(4)}
        for name, body in self.bodies.items():
            joint, motion = body["Joint"], np.eye(4)
            if joint["type"] != "fixed":
                axis, value = joint["JointAxis"] / np.linalg.norm(joint["JointAxis"]), next(values)
                if joint["type"] == "prismatic":
                    motion[:3, 3] = value * axis
                else:
                    cross = np.array(
                        [[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]]
                    )
                    motion[:3, :3] = (
                        np.eye(3) + np.sin(value) * cross + (1 - np.cos(value)) * cross @ cross
                    )
            result[name] = result[body["parent"]] @ joint["T"] @ motion
        return result

    def dynamics(self, q):
        """Mass matrix and gravity torque from the energies; Inertia is about the origin of the
        body's frame.
        """
        poses, moving = self.poses(q), self.moving()
        M, g = np.zeros((len(q), len(q))), np.zeros(len(q))
        for name, body in self.bodies.items():
            above, chain = name, []
            while above != self.variables["robot"]["BaseName"]:
                chain.append(above)
                above = self.bodies[above]["parent"]
            J = np.zeros((6, len(q)))  # in the body's axes at its origin: linear, angular
            turn, place = poses[name][:3, :3], poses[name][:3, 3]
            for i, mover in enumerate(moving):
                if mover["name"] in chain:
                    axis = poses[mover["name"]][:3, :3] @ mover["Joint"]["JointAxis"]
                    axis = axis / np.linalg.norm(axis)
                    slides = mover["Joint"]["type"] == "prismatic"
                    linear = axis if slides else np.cross(axis, place - poses[mover["name"]][:3, 3])
                    J[:, i] = [*(turn.T @ linear), *(np.zeros(3) if slides else turn.T @ axis)]
            xx, yy, zz, yz, xz, xy = body["Inertia"]
            first = body["Mass"] * body["CenterOfMass"]
            skew = np.array(
                [[0, -first[2], first[1]], [first[2], 0, -first[0]], [-first[1], first[0], 0]]
            )
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            spatial = np.block([[body["Mass"] * np.eye(3), -skew], [skew, tensor]])
            M += J.T @ spatial @ J
            weight = turn.T @ self.variables["robot"]["Gravity"]
            g -= J.T @ np.concatenate([body["Mass"] * weight, np.cross(first, weight)])
        return M, g


@pytest.mark.parametrize(
    "name",
    ["irb2400_10", "irb2400_16", "irb1400", "irb1600_6_120", "irb1600_10_145", "irb930_12_105"],
)
def test_matlab_script_is_the_robot(name):
    """Read as the toolbox reads it, the script gives TCP, mass matrix and gravity torque of the
    robot, through its G.
    """
    robot = robot_of(name).with_payload(irb.payload(1.0, [0.1, 0.0, 0.05]))
    ((file, text),) = tables_text(robot, "matlab").items()
    assert file == f"{robot.name}.m"
    tree = Matlab(text)
    G, q0 = tree.variables["G"], tree.variables["q0"].ravel()
    np.testing.assert_array_equal(G, robot.coupling[0])
    assert [body["Joint"]["name"] for body in tree.moving()] == list(robot.model.names)[1:]
    for q in np.random.default_rng(6).uniform(-0.3, 0.3, (3, robot.n)):
        poses = tree.poses(G @ q + q0)
        for frame in ("tcp", "tool0", "link_3"):
            np.testing.assert_allclose(
                poses[frame], robot.pose(q, frame).homogeneous, rtol=0, atol=1e-12
            )
        M, g = tree.dynamics(G @ q + q0)
        np.testing.assert_allclose(G.T @ M @ G, robot.mass_matrix(q), rtol=0, atol=1e-12 * M.max())
        np.testing.assert_allclose(
            G.T @ g, robot.gravity(q), rtol=0, atol=1e-11 * max(1.0, np.abs(g).max())
        )
    for body, low, high in zip(
        tree.moving(), robot.model.lowerPositionLimit, robot.model.upperPositionLimit, strict=True
    ):
        np.testing.assert_array_equal(body["Joint"]["PositionLimits"], [low, high])
        assert low <= body["Joint"]["HomePosition"] <= high


def test_matlab_takes_any_robot_and_gravity(tmp_path):
    """Continuous joints are unlimited, names become MATLAB's, a slanted axis and a mounting are
    kept.
    """
    text = irb.urdf_path("irb1600").read_text(encoding="utf-8")
    text = re.sub(r'name="joint_6" type="revolute"', 'name="joint_6" type="continuous"', text)
    text = text.replace('<robot name="irb1600_6_120"', '<robot name="6-axis o\'arm"').replace(
        '"link_6"', '"link\'6"'
    )
    tail = text.index('name="joint_6"')
    text = text[:tail] + text[tail:].replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0.6 0.8"/>', 1)
    (tmp_path / "odd.urdf").write_text(text, encoding="utf-8")
    robot = irb.from_urdf(tmp_path / "odd.urdf").with_gravity([1.0, 2.0, -9.0])
    ((file, script),) = tables_text(robot, "matlab").items()
    assert file == "robot_6_axis_o_arm.m"
    assert script.startswith("function [robot, G, q0] = robot_6_axis_o_arm()")
    tree, q = Matlab(script), np.random.default_rng(7).uniform(-1, 1, 6)
    np.testing.assert_array_equal(
        tree.bodies["link'6"]["Joint"]["PositionLimits"], [-np.inf, np.inf]
    )
    np.testing.assert_allclose(tree.poses(q)["tcp"], robot.pose(q).homogeneous, rtol=0, atol=1e-12)
    np.testing.assert_allclose(tree.dynamics(q)[1], robot.gravity(q), rtol=0, atol=1e-10)
