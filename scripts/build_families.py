"""Write what is generated of urdf/ and meshes/: of every shipped family, the positioner and the spindle.

python scripts/build_families.py [FAMILY ...]     writes all files, or those of some folders of urdf/
python scripts/build_families.py --steps limits   writes one kind: tables, meshes, inertials, limits, urdf, srdf, readme
python scripts/build_families.py --check          exit code 1 if a committed file differs

Beside them stand the positioner, the tools and mass_split, the table of irbmodels/cad by which the
mass of serial arms is shared out; it goes before the families, whose inertials follow it.

The READMEs of irb2400, irb1400, irb1600 and irb930, the positioner and the tools are written by hand.
"""

from __future__ import annotations

import argparse
import sys

import irbmodels as irb
from irbmodels.cad import positioner, spindle
from irbmodels.cad.family import STEPS, stale_files, write_family
from irbmodels.cad.output import differing, write
from irbmodels.cad.split_table import TABLE, split_files
from irbmodels.tables.description import data_folder

SINGLE = {
    "positioner": (positioner.files, data_folder() / "positioner"),
    "tools": (spindle.files, data_folder() / "tools"),
    "mass_split": (split_files, TABLE.parent),
}


def main() -> int:
    """Write the files, or compare them."""
    families = list(dict.fromkeys(irb.describe(name).family for name in irb.robots()))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folders", nargs="*", metavar="FAMILY", help=", ".join([*SINGLE, *families])
    )
    parser.add_argument(
        "--steps", nargs="+", choices=[*STEPS], default=[*STEPS], help="kinds of files"
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    stale = False
    for name in arguments.folders or [*SINGLE, *families]:
        if name in SINGLE:
            files, folder = SINGLE[name]
            paths = (differing if arguments.check else write)(files(), folder)
        else:
            paths = (stale_files if arguments.check else write_family)(
                data_folder() / name, steps=arguments.steps
            )
        if arguments.check:
            print(
                *(f"{path} is not what this script writes" for path in paths),
                sep="\n",
                end="\n" if paths else "",
            )
        else:
            print(
                f"{name}: {len(paths)} files, {sum(path.stat().st_size for path in paths) / 1e6:.2f} MB"
            )
        stale |= arguments.check and bool(paths)
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
