"""The doctor on damaged and hostile files."""

from __future__ import annotations

import random
import re
import time

import numpy as np
import pytest
from grouped import together
from urdf_faults import BILLION_LAUGHS, MESH, PATIENCE, masked, one_body, tensor

import irbmodels as irb
from irbmodels.exchange.doctor import examine, repair
from irbmodels.exchange.doctor.xml import (
    DEEPEST,
    LARGEST,
    MOST,
    number,
    numbers,
    parse,
)

STRANGE_VALUES = [
    *(
        "",
        " ",
        "nan",
        "-inf",
        "1e999",
        "-1e-999",
        "1e308",
        "-1e308",
        "1e30",
        "1e-320",
        "0",
        "-1",
        "9" * 5000,
        "0x1p9",
        "1_0",
    ),
    *(
        "0 0",
        "1 2 3 4",
        "nan nan nan",
        "1e300 1e300 1e300",
        "${x}",
        "&#10;",
        "\u0663",
        "\U0001d7d9",
        "\u202e",
        "a" * 9000,
    ),
    *(
        "../" * 50,
        "package://",
        "package:///x",
        "file://%00%ff",
        "http://x/y.stl",
        "base_link",
        "link_1",
        "joint_2",
        "joint_3",
    ),
    *("revolute", "floating", "spherical"),
]


def fuzzed(count: int) -> list[bytes]:
    """Damaged URDFs: bytes of a shipped file, or its tags and values, changed at random."""
    rng = random.Random(11)
    whole = irb.describe("irb2400").urdf("parallelogram", looks=False)
    shapes = irb.describe("irb930").urdf()
    actual: list[bytes] = []
    while len(actual) < count:
        text = rng.choice([whole, shapes])
        if len(actual) % 2:
            data = bytearray(text.encode())
            for _ in range(rng.choice([1, 3, 20, 200])):
                at = rng.randrange(len(data))
                match rng.randrange(4):
                    case 0:
                        data[at] = rng.randrange(256)
                    case 1:
                        del data[at : at + rng.randrange(1, 99)]
                    case 2:
                        data[at:at] = data[
                            (start := rng.randrange(len(data))) : start + rng.randrange(1, 99)
                        ]
                    case _:
                        data[at:at] = rng.randbytes(rng.randrange(1, 9))
            actual.append(bytes(data))
            continue
        pieces = re.split(r"(<[^>]*>)", text)
        for _ in range(rng.choice([1, 3, 20])):
            at = rng.randrange(1, len(pieces), 2)
            match rng.randrange(4):
                case 0:
                    pieces[at] = re.sub(
                        r'"[^"]*"',
                        lambda _: f'"{rng.choice(STRANGE_VALUES)}"',
                        pieces[at],
                        count=rng.choice([0, 1]),
                    )
                case 1 if pieces[at].endswith("/>"):
                    pieces[at] = ""
                case 2 if pieces[at].endswith("/>"):
                    pieces[rng.randrange(1, len(pieces), 2)] += pieces[at]
                case _:
                    pieces[at] = re.sub(r'\s\w+="[^"]*"', "", pieces[at], count=1)
        actual.append("".join(pieces).encode("utf-8", "surrogatepass"))
    return actual


def test_damaged_files_are_examined_or_refused(urdf, tmp_path):
    """Four hundred damaged files: findings of one printable line each, or one line of refusal, each
    in bounded time.
    """
    examined, slowest, refusals = 0, 0.0, set()
    for data in fuzzed(400):
        path, start = urdf(data), time.process_time()
        try:
            actual = examine(path)
            repair(path, tmp_path / "out.urdf")
        except irb.IrbError as refusal:
            refusals.add(str(refusal))
        else:
            examined += 1
            assert all(str(finding).isprintable() for finding in actual)
            assert masked((tmp_path / "out.urdf").read_bytes()) == masked(data)
        slowest = max(slowest, time.process_time() - start)
    assert examined > 120  # the others are no XML any more
    assert all(refusal.isprintable() for refusal in refusals)
    assert slowest < PATIENCE


def links(count: int, text: str) -> str:
    """Return a robot with a numbered text many times."""
    return (
        '<robot name="r"><link name="l0"/>'
        + "".join(text.replace("#", str(i)) for i in range(1, count))
        + "</robot>"
    )


CHAIN = (
    '<link name="l#"/><joint name="j#" type="revolute"><parent link="{}"/><child'
    ' link="{}"/></joint>'
)
HOSTILE = {
    "billion laughs": BILLION_LAUGHS,
    "parameter entity": "<!DOCTYPE r [<!ENTITY % a \"<!ENTITY b 'x'>\"> %a;]><robot name='&b;'/>",
    "external entity": (
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]><robot name="r"><link'
        ' name="&a;"/></robot>'
    ),
    "undeclared entity": '<robot name="&a;"/>',
    "deep": "<robot name='r'>" + "<link>" * DEEPEST + "</link>" * DEEPEST + "</robot>",
    "many tags": links(MOST, '<link name="l#"/>'),
    "large": "<robot>" + " " * LARGEST,
    "empty": "",
    "zeros": "\0" * 1000,
    "zero inside": '<robot name="a\0b"/>',
    "not a robot": '<sdf version="1.7"/>',
    "two roots": "<robot/><robot/>",
    "unclosed": '<robot name="r"><link name="a">',
    "unknown encoding": '<?xml version="1.0" encoding="rot13"?><robot/>',
    "wrong encoding": '<?xml version="1.0" encoding="utf-16"?><robot/>',
}
HEAVY = {
    "attributes of a DOCTYPE": (
        f'<!DOCTYPE r [<!ATTLIST link q CDATA "{"x" * 10**6}">]>' + links(20_000, "<link/>")
    ),
    "star": links(10_000, CHAIN.format("l0", "l#")),
    "links on themselves": links(10_000, CHAIN.format("l#", "l#")),
    "many roots": links(10_000, CHAIN.format("l#", "l0")),
    "mimics": links(15_000, '<joint name="j#" type="revolute"><mimic joint="j0#"/></joint>'),
    "lost meshes": links(10_000, f'<link name="l#">{MESH.format("package://a/#.stl")}</link>'),
    "impossible bodies": links(
        10_000, f'<link name="l#"><inertial><mass value="1"/>{tensor(1, 1, 3)}</inertial></link>'
    ),
    "long name": f'<robot name="r"><link name="{"x" * 10**7}"/></robot>',
    "long number": one_body("9" * 10**7, tensor(1, 1, 1)),
    "many attributes": (
        '<robot name="r"><link name="a" '
        + " ".join(f'a{i}=""' for i in range(10**5))
        + "/></robot>"
    ),
    "long comment": f'<robot name="r"><link name="a"/><!--{"x" * 10**7}--></robot>',
}


@together("kind", HOSTILE)
def test_hostile_files_are_refused(kind, urdf):
    """What is no XML, no robot, or without bound is refused in one line, at once."""
    path, start = urdf(HOSTILE[kind]), time.process_time()
    with pytest.raises((irb.UrdfError, irb.FileError)) as caught:
        examine(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).isprintable()
    assert time.process_time() - start < PATIENCE


def test_attributes_of_a_doctype_are_not_multiplied():
    """Defaults that a DOCTYPE gives to every tag are left out."""
    assert parse(b'<!DOCTYPE r [<!ATTLIST robot a CDATA "x">]><robot b="y"/>').attributes == {
        "b": "y"
    }


@pytest.mark.parametrize("kind", HEAVY)
def test_heavy_files_take_bounded_time(kind, urdf, tmp_path):
    """Nothing grows faster than the file: each ends, and repair too."""
    path, start = urdf(HEAVY[kind]), time.process_time()
    assert isinstance(examine(path), list)
    repair(path, tmp_path / "out.urdf")
    assert time.process_time() - start < PATIENCE


def test_long_chains_of_mimics_and_links_are_followed(urdf):
    """A chain of ten thousand links, each mimic following the one before it: a circle at its end is
    found once.
    """
    text = links(10_000, CHAIN.format("l#", "l#"))
    text = re.sub(
        r'<parent link="l(\d+)"/>', lambda match: f'<parent link="l{int(match[1]) - 1}"/>', text
    )
    text = re.sub(
        r'(name="j(\d+)" type="revolute">)',
        lambda m: f'{m[1]}<mimic joint="j{max(int(m[2]) - 1, 1)}"/>',
        text,
    )
    actual = [finding for finding in examine(urdf(text)) if "mimic" in finding.what]
    assert [finding.name for finding in actual if finding.what == "mimic circle"] == ["j1"]
    assert sum(finding.what == "mimic chain" for finding in actual) == 9_998


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 84, b"\0" * 80 + b"\xff" * 8, b"solid\nvertex nan 0 0\n" * 9, b"vertex " * 10**6],
)
@pytest.mark.parametrize("suffix", ["stl", "obj"])
def test_damaged_meshes_are_named(content, suffix, urdf, tmp_path):
    """A mesh without three finite vertices is a warning, whatever it holds."""
    (tmp_path / f"m.{suffix}").write_bytes(content)
    actual = examine(urdf(one_body("1", tensor(0.1, 0.1, 0.15), MESH.format(f"m.{suffix}"))))
    assert [finding.what for finding in actual] == ["damaged mesh"]


@pytest.mark.parametrize("name", ["folder", "absent.urdf", "pipe", "x" * 5000])
def test_paths_that_are_no_file_are_refused(name, tmp_path):
    """A folder, nothing, a pipe and an impossible name are refused, without waiting."""
    import os

    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(irb.FileError):
        examine(tmp_path / name)


@together(
    "text, value",
    [
        ("1", 1.0),
        (" -2.5e3 ", -2500.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e999", np.inf),
        ("-INF", -np.inf),
        ("infinity", np.inf),
    ]
    + [
        (text, np.nan)
        for text in (None, "", "nan", "1,5", "1_0", "0x10", "1 2", "\u0663", "e5", "9" * 101)
    ],
)
def test_numbers_are_read_as_urdf_readers_do(text, value):
    """Decimal ASCII numbers only; what Python alone would read is none."""
    np.testing.assert_equal(number(text), value)


def test_vectors_have_as_many_numbers_as_wanted():
    """Three finite numbers, or nothing."""
    assert numbers("1 2\t3", 3) == [1.0, 2.0, 3.0]
    assert [numbers(text, 3) for text in (None, "", "1 2", "1 2 3 4", "1 2 nan", "1, 2, 3")] == [
        None
    ] * 6
