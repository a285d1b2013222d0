import json

import jsonschema
import numpy as np
import pytest

import irbmodels as irb
from irbmodels.cli.schema import schema_of, schemas

FILES = {}
CASES = {
    "pose": ["irb2400", "--tool", "spindle", "--q-deg", "10,120,10,0,30,400"],
    "jacobian": ["irb2400", "--q-deg", "0,20,10,0,3,0"],
    "ik": ["irb2400", "--pose", "1200,0,1000,0,0,1,0", "--near", "0,0,0,0,0,0"],
    "list": [],
    "move": ["irb930", "--via", "0,0,-50,0", "--via", "90,40,-100,30"],
    "simulate": ["irb930", "--q-deg", "0,20,-50,0", "--duration", "0.1"],
    "excite": ["irb930", "--starts", "1", "--iterations", "2", "--no-collision"],
    "friction-plan": ["irb930", "--axis", "3", "--count", "5"],
    "doctor": [str(irb.urdf_path("irb1600"))],
}
BESIDE = {"friction-fit"}  # commands whose files are made where they are tested, with their form
MORE = {
    "pose": ["irb930", "--q-deg", "10,20,-100,0", "--payload", "2"],
    "jacobian": ["crb15000"],
    "ik": ["crb15000", "--pose", "5000,0,1000,0,0,1,0"],
    "list": ["--families"],
}


def validated(run, command, *words):
    """Exit code and object of a command, which is all of stdout, and of the form of its schema."""
    code, out, _ = run(*command.split(), *words, "--json")
    record = json.loads(out)
    jsonschema.validate(record, schema_of(command), jsonschema.Draft202012Validator)
    assert record["command"] == command
    return code, record


def test_the_schemas_are_of_the_commands_and_of_the_dialect():
    assert set(CASES) | BESIDE == set(schemas()) - {"error"}
    for name in schemas():
        jsonschema.Draft202012Validator.check_schema(schema_of(name))


@pytest.mark.parametrize(
    ("command", "words"),
    [*CASES.items(), *MORE.items()],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_each_command_prints_one_object_of_its_schema(run, command, words):
    code, record = validated(run, command, *words)
    assert code in (0, 1)
    assert record["version"] == irb.__version__


def test_numbers_are_those_of_the_api(run):
    """In full precision, SI units, and for the robot that is named."""
    words = CASES["pose"]
    record = validated(run, "pose", *words)[1]
    robot = irb.load("irb2400", tool="spindle")
    q = robot.from_controller([10, 120, 10, 0, 30, 400])
    assert record["q_rad"] == q.tolist()
    assert record["matrix"] == robot.pose(q).homogeneous.tolist()
    assert record["position_m"] == robot.pose(q).translation.tolist()
    assert record["violations"] == [one._asdict() for one in robot.violations(q)] != []
    assert record["robot"]["tool"] == "spindle"
    scara = validated(run, "pose", *MORE["pose"])[1]
    assert (scara["robot"]["linear_axes"], scara["robot"]["payload_kg"]) == ([3], 2.0)
    assert scara["q_rad"][2] == -0.1


def test_postures_of_ik_reach_the_target(run):
    """Sorted from the seed; none, with its reason and exit code 1, beyond reach."""
    code, record = validated(run, "ik", *CASES["ik"])
    robot = irb.load("irb2400")
    assert (code, len(record["solutions"])) == (0, 8)
    for one in record["solutions"]:
        pose = robot.pose(one["q_rad"])
        np.testing.assert_allclose(pose.translation, [1.2, 0.0, 1.0], atol=1e-9)
        np.testing.assert_allclose(pose.rotation, np.diag([-1.0, 1.0, -1.0]), atol=1e-9)
    distances = [one["distance_s"] for one in record["solutions"]]
    assert distances == sorted(distances)
    code, record = validated(run, "ik", *MORE["ik"])
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
    assert run("schema")[1].split() == list(schemas())
    code, _, err = run("schema", "poes")
    assert code == 2
    assert "did you mean 'pose'?" in err
