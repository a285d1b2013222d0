"""Inverse kinematics in closed form: every posture of a six-axis arm or a SCARA."""
