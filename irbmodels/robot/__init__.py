"""The facade: Robot, load, from_urdf, collision."""
