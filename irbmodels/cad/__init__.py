"""Parametric CAD of the robots: own shapes from the dimensions in the tables, nothing copied.

``shapes`` is the vocabulary, ``body`` what a link is made of and weighs, ``obj`` the file format;
the other modules are the robots, a function per part. Millimetres in base axes at the home pose (x
forward, y left, z up).

Raises on import:
    MissingExtra: if manifold3d or trimesh, of the extra ``cad``, is not installed.
"""

from ..errors import require

require("manifold3d", "cad")
require("trimesh", "cad")
