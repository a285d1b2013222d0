"""A robot as data: tree and coupling, inertia, friction, limits, tool, motors, DH, shapes."""
