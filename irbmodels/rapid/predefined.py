"""What every controller declares by itself: speeds, zones, ``tool0`` and ``wobj0``.

As a public driver for these controllers lists them; ABB's own source is the technical reference manual of RAPID's data types
(3HAC16581-1: speeddata, zonedata, tooldata, wobjdata), which was not at hand. Grade: published, but for the speed of ``vmax``.
"""

from __future__ import annotations

from .records import Orient, Pos, Pose, Value
from .values import LoadData, SpeedData, ToolData, WobjData, ZoneData

VMAX_TCP = 5000.0
"""[mm/s] of ``vmax``: assumed. It depends on the type of robot, and no number was found for these."""

_SPEEDS = (5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500, 600, 800)
_FAST = (1000, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 7000)
_ZONES = {  # name: path zone of the TCP [mm]; of orientation and external axes [mm]; zone of orientation and rotating axes [deg]
    "z0": (0.3, 0.3, 0.03),
    "z1": (1, 1, 0.1),
    "z5": (5, 8, 0.8),
    "z10": (10, 15, 1.5),
    "z15": (15, 23, 2.3),
    "z20": (20, 30, 3.0),
    "z30": (30, 45, 4.5),
    "z40": (40, 60, 6.0),
    "z50": (50, 75, 7.5),
    "z60": (60, 90, 9.0),
    "z80": (80, 120, 12),
    "z100": (100, 150, 15),
    "z150": (150, 225, 23),
    "z200": (200, 300, 30),
}


def _speed(v_tcp: float) -> SpeedData:
    return SpeedData(v_tcp, 500.0, 5000.0, 1000.0)


_NOWHERE = Pose(Pos(0.0, 0.0, 0.0), Orient(1.0, 0.0, 0.0, 0.0))
PREDEFINED: dict[str, Value] = {
    **{f"v{speed}": _speed(speed) for speed in (*_SPEEDS, *_FAST)},
    "vmax": _speed(VMAX_TCP),
    "fine": ZoneData(True, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    **{name: ZoneData(False, path, wide, wide, angle, wide, angle) for name, (path, wide, angle) in _ZONES.items()},
    "tool0": ToolData(True, _NOWHERE, LoadData(0.001, Pos(0.0, 0.0, 0.001), Orient(1.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0)),
    "wobj0": WobjData(False, True, "", _NOWHERE, _NOWHERE),
}
"""By name in lower case."""
