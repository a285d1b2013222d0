"""Measured logs of arms, as their authors publish them, and the least squares to compare with."""
