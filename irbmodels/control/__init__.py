"""Control laws as pure functions, and the loop that closes them around a simulated arm."""

from .adaptive import (
    AdaptiveGains,
    AdaptiveMemory,
    AdaptiveStep,
    adaptive,
    adaptive_step,
    tracking_regressor,
)
from .axis_pid import PidGains, PidMemory, pid
from .impedance import Impedance, impedance
from .joint_space import axis_speed, computed_torque, feed_forward, pd_gravity, speed_servo
from .loop import run_loop
from .observer import (
    Collision,
    ObserverMemory,
    collision,
    momentum,
    momentum_observer,
    momentum_rate,
    residuals,
)
from .reference import follow, hold, sampled, tcp_along, tcp_hold, tcp_of
from .signals import AxisReference, Gains, Measured, TcpReference
from .task_space import task_inverse_dynamics, task_rows, tcp_error, tcp_speed
from .tracking import LAW_NAMES, TunedLaw, follow_motion, tuned_law

__all__ = [
    "LAW_NAMES",
    "AdaptiveGains",
    "AdaptiveMemory",
    "AdaptiveStep",
    "AxisReference",
    "Collision",
    "Gains",
    "Impedance",
    "Measured",
    "ObserverMemory",
    "PidGains",
    "PidMemory",
    "TcpReference",
    "TunedLaw",
    "adaptive",
    "adaptive_step",
    "axis_speed",
    "collision",
    "computed_torque",
    "feed_forward",
    "follow",
    "follow_motion",
    "hold",
    "impedance",
    "momentum",
    "momentum_observer",
    "momentum_rate",
    "pd_gravity",
    "pid",
    "residuals",
    "run_loop",
    "sampled",
    "speed_servo",
    "task_inverse_dynamics",
    "task_rows",
    "tcp_along",
    "tcp_error",
    "tcp_hold",
    "tcp_of",
    "tcp_speed",
    "tracking_regressor",
    "tuned_law",
]
