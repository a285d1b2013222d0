#!/usr/bin/env python3
# -*- coding: utf-8 -*-
#
# SPDX-License-Identifier: Apache-2.0

"""IRB 2400 description."""

from os import getenv as _getenv
from os import path as _path

from ._cache import clone_to_cache as _clone_to_cache

REPOSITORY_PATH: str = _clone_to_cache(
    "irbmodels",
    commit=_getenv("ROBOT_DESCRIPTION_COMMIT", None),
)

PACKAGE_PATH: str = _path.join(REPOSITORY_PATH, "urdf", "irb2400")

URDF_PATH: str = _path.join(PACKAGE_PATH, "irb2400_16.urdf")

SRDF_PATH: str = _path.join(PACKAGE_PATH, "irb2400_16.srdf")

# Description-specific paths

# Open chain without the bars of the parallelogram, for readers that ignore
# mimic joints; its joint_3 is the angle between the arms
URDF_PATH_SERIAL: str = _path.join(PACKAGE_PATH, "irb2400_16_serial.urdf")
