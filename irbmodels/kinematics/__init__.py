"""Kinematics: frames, inverse kinematics, singularities, working range."""
