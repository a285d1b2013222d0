"""Inverse kinematics in closed form: every posture of a six-axis arm with a spherical wrist, and of a SCARA."""
