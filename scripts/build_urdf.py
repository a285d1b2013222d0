"""Write urdf/<family>/<variant>.urdf, and <variant>_serial.urdf for the arms with a parallelogram.

python scripts/build_urdf.py            writes the files
python scripts/build_urdf.py --check    exit code 1 if a committed file differs
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import irbmodels as irb


def files() -> dict[Path, str]:
    """Return every URDF with its text: mesh paths relative to the file, no tool."""
    result = {}
    for name in irb.robots():
        robot = irb.describe(name)
        for coupling in robot.couplings:
            twin = "_serial" if coupling == "serial" and len(robot.couplings) > 1 else ""
            result[robot.folder / f"{name}{twin}.urdf"] = robot.urdf(coupling)
    return result


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    stale = 0
    for path, text in files().items():
        if arguments.check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                print(f"{path.name} is not what this script writes")
                stale = 1
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{path.parent.name}/{path.name}: {len(text) / 1024:.0f} kB")
    return stale


if __name__ == "__main__":
    sys.exit(main())
