#!/usr/bin/env python3
# -*- coding: utf-8 -*-
#
# SPDX-License-Identifier: Apache-2.0

"""IRB 120 description."""

from os import getenv as _getenv
from os import path as _path

from ._cache import clone_to_cache as _clone_to_cache

REPOSITORY_PATH: str = _clone_to_cache(
    "irbmodels",
    commit=_getenv("ROBOT_DESCRIPTION_COMMIT", None),
)

PACKAGE_PATH: str = _path.join(REPOSITORY_PATH, "urdf", "irb120")

URDF_PATH: str = _path.join(PACKAGE_PATH, "irb120_3_58.urdf")

SRDF_PATH: str = _path.join(PACKAGE_PATH, "irb120_3_58.srdf")
