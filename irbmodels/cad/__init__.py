"""Parametric CAD of the robots: own shapes from the dimensions in the tables, nothing copied.

``shapes`` is the vocabulary, ``body`` the parts of a link and their masses, ``obj`` the format of
files; ``serial_arm``, ``parallel_arm`` and ``scara`` are the builds, a function per part, and
``builds`` chooses among them. Millimetres in base axes at the home pose (x forward, y left, z up).
``meshes``, ``inertial_sets``, ``efforts`` and ``srdf`` make the files of a family from that and its
tables; :func:`write_family` writes them.

Raises on import:
    MissingExtra: if manifold3d or trimesh, of the extra ``cad``, is not installed.
"""

from ..errors import require

require("manifold3d", "cad")
require("trimesh", "cad")

from .family import stale_files, write_family  # noqa: E402

__all__ = ["stale_files", "write_family"]
