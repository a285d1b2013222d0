"""Fixtures of several files: URDFs written to a folder of the test."""

from pathlib import Path

import pytest


@pytest.fixture
def urdf(tmp_path):
    """Write text or bytes to a URDF file."""

    def write(content: str | bytes, name: str = "robot.urdf") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
