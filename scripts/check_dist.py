"""Install the wheel and the source archive of a folder, one after the other, and try each from
another folder.

    python scripts/check_dist.py [dist]

Needs a package index. The environment is thrown away afterwards; its packages have the versions of
constraints.txt.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST = 25e6  # [bytes] of a wheel, meshes of all robots included
CHECK = """
import shutil
from pathlib import Path
from xml.etree import ElementTree

import irbmodels as irb

robot = irb.load("irb2400", tool="spindle")
torque = robot.inverse_dynamics(robot.from_controller([0, 20, 10, 0, 30, 0]), [0.1] * 6, [0.0] * 6)
assert -300.0 < torque[2] < -200.0, torque
package = Path(irb.__file__).parent
assert "site-packages" in str(package) and (package / "meshes" / "LICENSE").is_file(), package

meshes = 0  # the tables name them, the URDFs beside them reference them
for name in irb.robots():
    assert irb.describe(name).shapes.links and irb.describe(name).shapes.collision, name
    for path in irb.describe(name).folder.glob(f"{name}*.urdf"):
        named = [path.parent / str(tag.get("filename")) for tag in ElementTree.parse(path).iter("mesh")]
        assert named and all(mesh.resolve().is_file() for mesh in named), path
        assert all("site-packages" in str(mesh.resolve()) for mesh in named), path
        meshes += len(named)
assert not irb.collides(robot, [0.0] * 6)

from irbmodels.cad.family import stale_files, write_family  # an installed package draws arms

folder = irb.new_robot("small_arm", "irb1600", Path("small_arm"))
write_family(folder, steps=["meshes", "inertials"])
assert not stale_files(folder, ["meshes", "inertials"]) and not irb.collides(irb.load(folder), [0.0] * 6)
assert (folder / "meshes" / "small_arm" / "visual" / "link_6_grey.obj").is_file()
shutil.rmtree(folder)
print("inverse dynamics", torque.round(2).tolist(), "N m;", meshes, "meshes")
"""


def only(folder: Path, pattern: str) -> Path:
    """Return the one file of ``folder`` that matches ``pattern``."""
    files = sorted(folder.glob(pattern))
    if len(files) != 1:
        sys.exit(f"{folder} has {len(files)} files {pattern}; one is needed: python -m build")
    return files[0].resolve()


def main() -> int:
    """Install and try both archives; return 0 when both work."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path("dist"),
        help="folder with a wheel and a source archive",
    )
    folder = parser.parse_args().folder
    archives = [only(folder, "*.whl"), only(folder, "*.tar.gz")]
    size = archives[0].stat().st_size
    print(f"{archives[0].name}: {size / 1e6:.1f} MB, at most {LARGEST / 1e6:.0f} MB")
    if size > LARGEST:
        return 1
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        programs = work / "venv" / "bin"
        pip = [
            programs / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
        for archive, options in zip(
            archives,
            (["--constraint", ROOT / "constraints.txt"], ["--force-reinstall", "--no-deps"]),
            strict=True,
        ):
            commands = [
                [*pip, *options, f"{archive}[cad]"],
                [programs / "python", "-c", CHECK],
                [programs / "irbmodels", "pose", "irb930", "--q-deg", "10,20,-100,0"],
                [programs / "irbmodels", "demo", "-o", work / archive.name / "demo"],
            ]
            print(archive.name, flush=True)
            for command in commands:
                if subprocess.run(
                    command, cwd=work, env=environment, stderr=subprocess.STDOUT, check=False
                ).returncode:
                    print(f"{archive.name}: {command[0].name} {command[1]} failed", file=sys.stderr)
                    return 1
            assert (work / archive.name / "demo" / "irb2400.html").stat().st_size > 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
