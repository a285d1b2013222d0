"""Values as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def plain_values(value: Any) -> Any:
    """Return named tuples as dictionaries, arrays as lists, and None for what is not finite."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): plain_values(one) for key, one in value.items()}
    if hasattr(value, "tolist"):  # an array or number of NumPy
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain_values(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value
