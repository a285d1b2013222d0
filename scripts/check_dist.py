"""Check the wheel and the source archive of a folder: contents, size, metadata, that they are
reproducible, and that the wheel works where it is installed.

    python -m build --sdist --wheel
    python scripts/check_dist.py [dist]

Reproducible: the source archive, unpacked elsewhere with other times and another umask, builds the
same bytes of itself and of the wheel. It needs a package index. The environment is thrown away
afterwards; its packages have the versions of constraints.txt.
"""

from __future__ import annotations

import argparse
import email
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Collection, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LARGEST = {".whl": 25e6, ".gz": 50e6}  # [bytes]; a file of the package index has 100 MB at most
PARTS = {"irbmodels": "irbmodels", "urdf": "irbmodels/urdf", "meshes": "irbmodels/meshes"}
KINDS = {  # by the folder that a file has in the wheel
    "irbmodels": {".py", ".pyi", ".typed", ".js", ".html", ".css", ".json", ".yaml"},
    "irbmodels/urdf": {".yaml", ".xacro", ".urdf", ".srdf", ".md"},
    "irbmodels/meshes": {".obj", ".md", ""},  # one LICENSE
}
METADATA = {"METADATA", "RECORD", "WHEEL", "entry_points.txt"} | {
    f"licenses/{name}" for name in ("LICENSE", "NOTICE")
}
NEEDED = (
    "irbmodels/__init__.pyi",
    "irbmodels/py.typed",
    "irbmodels/viewer/page.html",
    "irbmodels/viewer/panel.js",
    "irbmodels/report/page_style.css",
    "irbmodels/urdf/irb.urdf.xacro",
    "irbmodels/urdf/robots.yaml",
    "irbmodels/meshes/LICENSE",
)
TRIAL = """
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


def packaged_files(root: Path = ROOT) -> set[str]:
    """Return the names that the files of a source tree have in the wheel."""
    return {
        f"{inside}/{path.relative_to(root / outside).as_posix()}"
        for outside, inside in PARTS.items()
        for path in (root / outside).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def wrong_contents(names: Collection[str], expected: Iterable[str]) -> list[str]:
    """Return a line for each file that a wheel lacks, or that does not belong there.

    Args:
        names: Files in the wheel.
        expected: Files of the source tree by their names in the wheel.
    """
    metadata = {name for name in names if name.partition("/")[0].endswith(".dist-info")}
    ours = set(names) - metadata
    there = {name.partition("/")[2] for name in metadata}
    wrong = [f"{name} is missing" for name in sorted({*expected, *NEEDED} - ours)]
    wrong += [f"{name} is not in the source tree" for name in sorted(ours - {*expected})]
    wrong += [f"{name} of the metadata is missing" for name in sorted(METADATA - there)]
    wrong += [f"{name} of the metadata is not known" for name in sorted(there - METADATA)]
    for name in sorted(ours):
        folder = next(folder for folder in [*reversed(KINDS), ""] if name.startswith(folder))
        if Path(name).suffix not in KINDS.get(folder, ()):
            wrong.append(f"{name} is of no kind that belongs in {folder or 'a wheel'}")
    return wrong


def relative_links(description: str) -> list[str]:
    """Return the links and pictures of a Markdown page that lead nowhere on a package index."""
    targets = re.findall(r"\]\(([^)\s]+)", description)
    targets += re.findall(r"""(?:src|srcset|href)=["']([^"'\s]+)""", description)
    return [target for target in targets if not re.match(r"https?://|mailto:|#", target)]


def unlike(one: Path, other: Path) -> list[str]:
    """Return what differs between two archives of the same name; nothing if their bytes agree."""
    if one.read_bytes() == other.read_bytes():
        return []
    members = []
    for path in (one, other):
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                members.append({name.filename: repr(name) for name in wheel.infolist()})
                members[-1] |= {name: str(wheel.getinfo(name).CRC) for name in wheel.namelist()}
        else:
            with tarfile.open(path) as archive:
                members.append(
                    {one.name: str((one.mode, one.mtime, one.size)) for one in archive.getmembers()}
                )
    first, second = members
    names = sorted(name for name in {*first, *second} if first.get(name) != second.get(name))
    return [f"{one.name}: {name} differs when it is built again" for name in names[:20]] or [
        f"{one.name}: its bytes differ when it is built again, its members' sizes do not"
    ]


def built_again(archives: Iterable[Path], source: Path, work: Path) -> list[str]:
    """Build both archives from the unpacked source archive; return what differs."""
    with tarfile.open(source) as archive:
        archive.extractall(work, filter="data")
    tree = work / source.name.removesuffix(".tar.gz")
    for path in tree.rglob("*"):
        if path.is_file():
            path.chmod(path.stat().st_mode & 0o700)
            os.utime(path, (1e9, 1e9))  # 2001
    out = work / "again"
    build = [sys.executable, "-m", "build", "--quiet", "--sdist", "--wheel", "--outdir", out, tree]
    if subprocess.run(build, umask=0o077, check=False).returncode:
        return [f"{source.name}: cannot be built"]
    return [line for path in archives for line in unlike(path, out / path.name)]


def works(wheel: Path, work: Path) -> bool:
    """Install a wheel into an empty environment and try it there, outside the source tree."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    programs = work / "venv" / "bin"
    pip = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
    commands = [
        [*pip, "--constraint", ROOT / "constraints.txt", f"{wheel}[cad]"],
        [programs / "python", "-c", TRIAL],
        [programs / "irbmodels", "pose", "irb930", "--q-deg", "10,20,-100,0"],
        [programs / "irbmodels", "demo", "-o", work / "demo"],
    ]
    for command in commands:
        if subprocess.run(
            command, cwd=work, env=environment, stderr=subprocess.STDOUT, check=False
        ).returncode:
            print(f"{wheel.name}: {command[0].name} {command[1]} failed", file=sys.stderr)
            return False
    assert (work / "demo" / "irb2400.html").stat().st_size > 0
    return True


def main() -> int:
    """Check both archives; return 0 when nothing is wrong."""
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
    wheel, source = archives = [only(folder, "*.whl"), only(folder, "*.tar.gz")]
    wrong = []
    for path in archives:
        size, largest = path.stat().st_size, LARGEST[path.suffix]
        print(f"{path.name}: {size / 1e6:.1f} MB, at most {largest / 1e6:.0f} MB")
        if size > largest:
            wrong.append(f"{path.name}: is too large")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        page = email.message_from_bytes(archive.read(metadata)).get_payload()
    print(f"{wheel.name}: {len(names)} files")
    wrong += [f"{wheel.name}: {line}" for line in wrong_contents(names, packaged_files())]
    wrong += [
        f"README.md: {link} leads nowhere on a package index" for link in relative_links(page)
    ]
    check = [sys.executable, "-m", "twine", "check", "--strict", *archives]
    if subprocess.run(check, check=False).returncode:
        wrong.append("twine check fails")
    with tempfile.TemporaryDirectory() as temporary:
        wrong += built_again(archives, source, Path(temporary))
        for line in wrong:
            print(line, file=sys.stderr)
        if wrong:
            return 1
        print("built again from the source archive: the same bytes", flush=True)
        return 0 if works(wheel, Path(temporary)) else 1


if __name__ == "__main__":
    sys.exit(main())
