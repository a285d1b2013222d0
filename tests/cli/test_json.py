import json
import re
import shlex
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from command_examples import commands, make_files

import irbmodels as irb
from irbmodels.cli.schema import schema_of, schemas
from irbmodels.report.plain import plain_values

WORDS = {  # where the first example is not what is tried
    "pose": "irb2400 --tool spindle --q-deg 10,120,10,0,30,400",
    "ik": "irb2400 --pose 1200,0,1000,0,0,1,0 --near 0,0,0,0,0,0",
    "check": "arm.urdf",
    "excite": "irb930 --starts 1 --iterations 2 --no-collision",
}
MORE = {
    "pose": "irb930 --q-deg 10,20,-100,0 --payload 2",
    "jacobian": "crb15000",
    "ik": "crb15000 --pose 5000,0,1000,0,0,1,0",
    "list": "--families",
    "rapid": "program.mod --robot irb2400",
    "new": "my_arm --datasheet irb120",
    "info": "irb8700 --payload 3,0,0,50",
    "workspace": "irb930",
    "torque": "irb1600 motion.csv",
    "balancer": "irb7600 --set F0_N=25000 --set k_N_m=20000",
}
BESIDE = {
    "demo": "6 s; its record is that of torque",
    "identify": "12 s; in test_cli_identification.py",
    "validate": "in test_cli_identification.py",
}


def with_json():
    """Commands with --json."""
    return [
        name
        for name, command in commands().items()
        if any("--json" in parameter.opts for parameter in command.params)
    ]


def words_of(name):
    example = commands()[name].examples[0].removeprefix(f"irbmodels {name}")
    return WORDS.get(name, example.removesuffix("--json"))


def validated(run, command, words):
    """Exit code and object of a command, which is all of stdout, and of the form of its schema."""
    code, out, _ = run(*command.split(), *shlex.split(words), "--json")
    record = json.loads(out)
    jsonschema.validate(record, schema_of(command), jsonschema.Draft202012Validator)
    assert record["command"] == command
    return code, record


def test_the_schemas_are_of_the_commands_and_of_the_dialect():
    assert {*with_json(), "error"} == set(schemas())
    for name in schemas():
        assert schema_of(name)["additionalProperties"] is False
        jsonschema.Draft202012Validator.check_schema(schema_of(name))


@pytest.mark.parametrize(
    ("command", "words"),
    [*((name, words_of(name)) for name in with_json() if name not in BESIDE), *MORE.items()],
)
def test_each_command_prints_one_object_of_its_schema(run, command, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_files(words.split(), tmp_path)
    code, record = validated(run, command, words)
    assert code in (0, 1)
    assert record["version"] == irb.__version__


def test_numbers_are_those_of_the_api(run):
    """In full precision, SI units, and for the robot that is named."""
    record = validated(run, "pose", WORDS["pose"])[1]
    robot = irb.load("irb2400", tool="spindle")
    q = robot.from_controller([10, 120, 10, 0, 30, 400])
    assert record["q_rad"] == q.tolist()
    assert record["matrix"] == robot.pose(q).homogeneous.tolist()
    assert record["position_m"] == robot.pose(q).translation.tolist()
    assert record["violations"] == [one._asdict() for one in robot.violations(q)] != []
    assert record["robot"]["tool"] == "spindle"
    scara = validated(run, "pose", MORE["pose"])[1]
    assert (scara["robot"]["linear_axes"], scara["robot"]["payload_kg"]) == ([3], 2.0)
    assert scara["q_rad"][2] == -0.1


def test_torques_friction_and_reach_are_those_of_the_api(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_files(["motion.csv"], tmp_path)
    record = validated(run, "torque", "irb2400 motion.csv --tool spindle")[1]
    robot = irb.load("irb2400", tool="spindle")
    motion = irb.open_motion("motion.csv", robot).read()
    tau, gravity = robot.inverse_dynamics(motion.q, motion.v, motion.a), robot.gravity(motion.q)
    for kind, name, expected in (
        ("largest", "total_N_m", np.abs(tau).max(axis=0)),
        ("rms", "total_N_m", np.sqrt((tau**2).mean(axis=0))),
        ("largest", "gravity_N_m", np.abs(gravity).max(axis=0)),
    ):
        found = [one[kind][name] for one in record["axes"]]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    law = robot.friction_model
    for one in validated(run, "friction", "irb2400")[1]["axes"]:
        numbers = [one[name] for name in ("Fs_N_m", "Fc_N_m", "Fv_N_m_s", "v_St_rad_s")]
        assert numbers == [
            getattr(law, name)[one["axis"] - 1] for name in ("Fs", "Fc", "Fv", "v_St")
        ]
    space = validated(run, "workspace", "irb2400")[1]
    extremes = irb.load("irb2400").workspace().extremes()
    assert [space[f"{name}_m"] for name in extremes._fields] == list(extremes)
    assert space["positions"][0]["axes_rad"] == [0.0, 0.0]


def test_what_is_not_finite_is_null():
    assert plain_values({"a": np.array([1.0, np.nan, -np.inf]), "b": (np.float64(2.0), True)}) == {
        "a": [1.0, None, None],
        "b": [2.0, True],
    }


def test_a_balancer_bears_what_the_robot_with_its_overlay_does(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record = validated(run, "balancer", f"{MORE['balancer']} -o own.yaml")[1]
    robot = irb.load("irb7600", overlays=["own.yaml"])
    q = np.zeros((len(record["q_rad"]), 6))
    q[:, record["axis"] - 1] = record["q_rad"]
    held = robot.gravity(q)[:, record["axis"] - 1]
    np.testing.assert_allclose(record["motor_N_m"], held, rtol=1e-9)
    assert np.abs(record["spring_N_m"]).max() > 1000.0


def test_postures_of_ik_reach_the_target(run):
    """Sorted from the seed; none, with its reason and exit code 1, beyond reach."""
    code, record = validated(run, "ik", WORDS["ik"])
    robot = irb.load("irb2400")
    assert (code, len(record["solutions"])) == (0, 8)
    for one in record["solutions"]:
        pose = robot.pose(one["q_rad"])
        np.testing.assert_allclose(pose.translation, [1.2, 0.0, 1.0], atol=1e-9)
        np.testing.assert_allclose(pose.rotation, np.diag([-1.0, 1.0, -1.0]), atol=1e-9)
    distances = [one["distance_s"] for one in record["solutions"]]
    assert distances == sorted(distances)
    code, record = validated(run, "ik", MORE["ik"])
    assert (code, record["solutions"]) == (1, [])
    assert record["missing_m"] > 3.0
    assert record["note"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["pose", "irb240"], "UnknownName"),
        (["pose", "irb2400", "--q-deg", "1"], "InputError"),
        (["pose"], "UsageError"),
        (["poes", "irb2400"], "UsageError"),
        (["doctor", "absent.urdf"], "FileError"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_an_error_is_an_object_too(run, words, kind):
    """On stdout, with the message that stderr has."""
    code, out, err = run(*words, "--json")
    record = json.loads(out)
    jsonschema.validate(record, schema_of("error"), jsonschema.Draft202012Validator)
    assert (code, record["error"]["kind"]) == (2, kind)
    assert err == f"error: {record['error']['message']}\n"
    assert run(*words)[1] == ""


def test_schema_is_printed(run):
    assert json.loads(run("schema", "pose")[1]) == schema_of("pose")
    assert json.loads(run("schema", "cache", "info")[1])["properties"]["bytes"]["type"] == "integer"
    assert run("schema")[1].splitlines() == list(schemas())
    code, _, err = run("schema", "poes")
    assert code == 2
    assert "did you mean 'pose'?" in err


def fail(error):
    def raising(*_):
        raise error

    return raising


@pytest.mark.parametrize(
    ("code", "words", "error", "kind"),
    [
        (0, "list", None, None),
        (1, "ik irb2400 --pose 9000,0,1000,0,0,1,0", None, None),
        (2, "pose irb2400 --tool none", None, "UnknownName"),
        (2, "list", OSError(28, "No space left on device"), "FileError"),
        (70, "list", ZeroDivisionError("division by zero"), "InternalError"),
        (130, "list", KeyboardInterrupt(), None),
    ],
)
def test_exit_codes_are_those_of_the_table(run, monkeypatch, code, words, error, kind):
    """Of the help and of the page: a fault is no verdict, and all but an interruption is an object."""
    if error is not None:
        monkeypatch.setattr("irbmodels.report.robot_list.list_record", fail(error))
    monkeypatch.setattr("irbmodels.cli.discard", lambda _: None)  # pytest's own
    found, out, err = run(*words.split(), "--json")
    assert found == code
    assert ("Traceback" in err) == (code == 70)
    assert (json.loads(out).get("error") or {"kind": None} if out else {"kind": None})[
        "kind"
    ] == kind
    assert bool(out) == (code != 130)
    page = Path(__file__).parents[2] / "docs" / "reference" / "command_line.md"
    assert re.search(rf"^ +{code}\b", run("--help")[1], re.MULTILINE)
    assert re.search(rf"^\| {code} \|", page.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_names_every_command_and_which_have_no_json():
    page = Path(__file__).parents[2] / "docs" / "reference" / "command_line.md"
    text = page.read_text(encoding="utf-8")
    rows = "".join(line for line in text.splitlines() if line.startswith("| **"))
    named = {name for name in re.findall(r"`([a-z-]+)`", rows)}
    groups = {name.split()[0] for name in commands()}
    assert named == groups
    without = re.search(r"These commands have no `--json`: (.*?)\.", text, re.DOTALL)[1]
    assert set(re.findall(r"`([a-z -]+)`", without)) == set(commands()) - set(with_json()) - {
        "cache"
    }
