"""Logic of masks of a trace, some of which may be known when a program is written."""

from __future__ import annotations

from .trace import Value

Mask = Value | bool


def all_of(*masks: Mask) -> Mask:
    """Return where all masks hold."""
    result: Mask = True
    for mask in masks:
        if result is True or mask is False:
            result = mask
        elif result is not False and mask is not True:
            result = result & mask
    return result


def any_of(*masks: Mask) -> Mask:
    """Return where any mask holds."""
    result: Mask = False
    for mask in masks:
        if result is False or mask is True:
            result = mask
        elif result is not True and mask is not False:
            result = result | mask
    return result


def negated(mask: Mask) -> Mask:
    """Return where a mask does not hold."""
    return not mask if isinstance(mask, bool) else ~mask
