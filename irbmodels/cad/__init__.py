"""Parametric CAD of the robots: own shapes from the dimensions in the tables, nothing copied.

``shapes`` is the vocabulary, ``body`` the parts of a link and their masses, ``obj`` the format of
files; ``serial_arm``, ``parallel_arm`` and ``scara`` are the builds, a function per part, and
``builds`` chooses among them. Millimetres in base axes at the home pose (x forward, y left, z up).
``meshes``, ``inertial_sets``, ``efforts`` and ``srdf`` make the files of a family from that and its
tables; :func:`.family.write_family` writes them, and :func:`.new_robot.new_robot` a whole family
from its data sheet. What draws needs manifold3d and trimesh, of the extra ``cad``.
"""
