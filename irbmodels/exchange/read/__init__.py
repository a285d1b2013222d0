"""A robot from a file of any format: URDF, MJCF, SDF."""
