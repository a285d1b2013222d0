"""Six-axis closed form as machine code: loops that LLVM vectorises over the poses of a block.

The same steps as :func:`irbmodels.kinematics.inverse.closed_form.six_axis`, where the formulas are
explained. All that differs between arms is data, in the order of
:func:`irbmodels.kinematics.inverse.kernel_loader.pack_constants`. This file is run by the cache of
kernels, which defines CACHE.
"""

# mypy: ignore-errors
import numpy as np
from numba import float64, int64, njit, uint8, uint64, void

from irbmodels.compiled.simd_math import FLAGS, assume_noalias, inline, transpose

CACHE = globals().get("CACHE", False)
SINGULAR, REACH, RIGID = 1e-12, 1e-10, 1e-9  # as in closed_form
SLOTS, N = 8, 6
BLOCK = 256  # poses whose buffers stay in the second-level cache
PITCH = BLOCK + 8  # so that rows do not fall on the same sets of the cache
ROWS = np.arange(SLOTS * N).astype(np.uint64)
A1, D, LOWER_ARM, FOREARM, WRIST_SIGN, FREE, AXIS_MAP, OFFSETS = 33, 34, 35, 36, 37, 38, 44, 80
COUPLED, LOWER, UPPER, TURN_LOWER, TURN_UPPER, SEED = 86, 122, 128, 134, 140, 146
vector, matrix = float64[::1], float64[:, ::1]


def compiled(signature):
    """Compile when the module is run, and keep it where the cache says so."""
    return njit(signature, fastmath=FLAGS, nogil=True, error_model="numpy", cache=CACHE)


@inline
def atan2(y, x):
    """Angle of a point, to 4 units in the last place; 0 at the origin.

    The smaller coordinate over the larger, less a turn of 45 degrees above tan(22.5 degrees), goes
    through a polynomial that interpolates atan(u)/u at Chebyshev nodes.
    """
    a, b = abs(y), abs(x)
    steep = a > b
    small, large = (b, a) if steep else (a, b)
    half = small > 0.41421356237309503 * large
    over = (small - large) if half else small
    under = (small + large) if half else large
    u = over / (under if under != 0.0 else 1.0)
    z = u * u
    p = -0.019175404711104935 * z + 0.03923044778479309
    p = ((p * z + -0.050854078345894844) * z + 0.05858140904866328) * z + -0.06664510525508936
    p = ((p * z + 0.07692183125376892) * z + -0.0909090457530649) * z + 0.11111111015187018
    p = ((p * z + -0.14285714284665682) * z + 0.19999999999995516) * z + -0.3333333333333333
    r = u + u * z * p
    turn = 0.7853981633974483 if half else 0.0
    r = ((1.5707963267948966 - turn) - (r - 6.123233995736766e-17)) if steep else turn + r
    r = (3.141592653589793 - (r - 1.2246467991473532e-16)) if x < 0.0 else r
    return -r if y < 0.0 else r


@inline
def at(row, j):
    """Index of number j in a row of a block.

    Unsigned, so that numba does not count negative indices from the end.
    """
    return uint64(row * PITCH) + j


@inline
def dot(u, v, w, x, y, z):
    """Product of two vectors."""
    return u * x + v * y + w * z


@inline
def larger(x, y, z):
    """Largest of three numbers."""
    x = y if y > x else x
    return z if z > x else x


@inline
def wrap_angle(angle):
    """Angle within half a turn of 0."""
    turns = (angle * 0.15915494309189535 + 6755399441055744.0) - 6755399441055744.0
    return angle - 6.283185307179586 * turns


@inline
def add_full_turn(p, i, value, others):
    """Axis position with full turns that bring it into range, and whether it is in range."""
    turn = p[SEED + i] + wrap_angle(value + others - p[SEED + i])
    turn = turn - (6.283185307179586 if turn > p[TURN_UPPER + i] else 0.0)
    turn = turn + (6.283185307179586 if turn < p[TURN_LOWER + i] else 0.0)
    fits = (turn >= p[TURN_LOWER + i]) & (turn <= p[TURN_UPPER + i])
    value = turn - others if fits else wrap_angle(value)
    turn = value + others
    return value, (turn >= p[LOWER + i]) & (turn <= p[UPPER + i])


@inline
def axis(p, i, x1, x2, x3, x4, x5, x6):
    """Axis position from the absolute angles, before full turns."""
    k = AXIS_MAP + 6 * i
    return (
        dot(p[k], p[k + 1], p[k + 2], x1, x2, x3)
        + dot(p[k + 3], p[k + 4], p[k + 5], x4, x5, x6)
        + p[OFFSETS + i]
    )


@inline
def axes(p, x1, x2, x3, x4, x5, x6):
    """All axis positions of a posture, and whether every range is kept."""
    k = COUPLED
    q1, i1 = add_full_turn(p, 0, axis(p, 0, x1, x2, x3, x4, x5, x6), 0.0)
    q2, i2 = add_full_turn(p, 1, axis(p, 1, x1, x2, x3, x4, x5, x6), p[k + 6] * q1)
    q3, i3 = add_full_turn(
        p, 2, axis(p, 2, x1, x2, x3, x4, x5, x6), p[k + 12] * q1 + p[k + 13] * q2
    )
    q4, i4 = add_full_turn(
        p, 3, axis(p, 3, x1, x2, x3, x4, x5, x6), dot(p[k + 18], p[k + 19], p[k + 20], q1, q2, q3)
    )
    others = dot(p[k + 24], p[k + 25], p[k + 26], q1, q2, q3) + p[k + 27] * q4
    q5, i5 = add_full_turn(p, 4, axis(p, 4, x1, x2, x3, x4, x5, x6), others)
    others = dot(p[k + 30], p[k + 31], p[k + 32], q1, q2, q3) + p[k + 33] * q4 + p[k + 34] * q5
    q6, i6 = add_full_turn(p, 5, axis(p, 5, x1, x2, x3, x4, x5, x6), others)
    return q1, q2, q3, q4, q5, q6, i1 & i2 & i3 & i4 & i5 & i6


@compiled(void(vector, vector, uint64))
def prepare(b, p, groups):
    """Write what all branches share, from row 16 of a block on, for poses in rows 0 to 15."""
    assume_noalias()
    for j in range(groups * uint64(8)):
        r00, r01, r02, tx = b[at(0, j)], b[at(1, j)], b[at(2, j)], b[at(3, j)]
        r10, r11, r12, ty = b[at(4, j)], b[at(5, j)], b[at(6, j)], b[at(7, j)]
        r20, r21, r22, tz = b[at(8, j)], b[at(9, j)], b[at(10, j)], b[at(11, j)]
        # a rotation is its own matrix of cofactors; so is no other matrix with a row of length 1
        off = larger(
            abs(r00 - (r11 * r22 - r12 * r21)),
            abs(r01 - (r12 * r20 - r10 * r22)),
            abs(r02 - (r10 * r21 - r11 * r20)),
        )
        off = larger(off, abs(r10 - (r02 * r21 - r01 * r22)), abs(r11 - (r00 * r22 - r02 * r20)))
        off = larger(off, abs(r12 - (r01 * r20 - r00 * r21)), abs(r20 - (r01 * r12 - r02 * r11)))
        off = larger(off, abs(r21 - (r02 * r10 - r00 * r12)), abs(r22 - (r00 * r11 - r01 * r10)))
        off = larger(off, abs(dot(r00, r01, r02, r00, r01, r02) - 1.0), abs(b[at(12, j)]))
        off = larger(
            off, larger(abs(b[at(13, j)]), abs(b[at(14, j)]), 0.0), abs(b[at(15, j)] - 1.0)
        )
        every = r00 + r01 + r02 + r10 + r11 + r12 + r20 + r21 + r22 + tx + ty + tz
        every += b[at(12, j)] + b[at(13, j)] + b[at(14, j)] + b[at(15, j)]
        b[at(28, j)] = off + 0.0 * every  # NaN where one of them is not finite
        x = tx + dot(r00, r01, r02, p[12], p[13], p[14]) - p[9]
        y = ty + dot(r10, r11, r12, p[12], p[13], p[14]) - p[10]
        z = tz + dot(r20, r21, r22, p[12], p[13], p[14]) - p[11]
        b[at(25, j)], b[at(26, j)] = dot(p[0], p[1], p[2], x, y, z), dot(p[3], p[4], p[5], x, y, z)
        b[at(27, j)] = dot(p[6], p[7], p[8], x, y, z)
        # the columns of R E', each in the arm's frame
        u, v, w = p[15], p[18], p[21]
        x, y, z = (
            dot(r00, r01, r02, u, v, w),
            dot(r10, r11, r12, u, v, w),
            dot(r20, r21, r22, u, v, w),
        )
        b[at(16, j)], b[at(19, j)] = dot(p[0], p[1], p[2], x, y, z), dot(p[3], p[4], p[5], x, y, z)
        b[at(22, j)] = dot(p[6], p[7], p[8], x, y, z)
        u, v, w = p[16], p[19], p[22]
        x, y, z = (
            dot(r00, r01, r02, u, v, w),
            dot(r10, r11, r12, u, v, w),
            dot(r20, r21, r22, u, v, w),
        )
        b[at(17, j)], b[at(20, j)] = dot(p[0], p[1], p[2], x, y, z), dot(p[3], p[4], p[5], x, y, z)
        b[at(23, j)] = dot(p[6], p[7], p[8], x, y, z)
        u, v, w = p[17], p[20], p[23]
        x, y, z = (
            dot(r00, r01, r02, u, v, w),
            dot(r10, r11, r12, u, v, w),
            dot(r20, r21, r22, u, v, w),
        )
        b[at(18, j)], b[at(21, j)] = dot(p[0], p[1], p[2], x, y, z), dot(p[3], p[4], p[5], x, y, z)
        b[at(24, j)] = dot(p[6], p[7], p[8], x, y, z)


@compiled(void(vector, vector, vector, vector, vector, float64, float64, uint64))
def branch(b, p, out, bits, missing, f, e, groups):
    """Solve one side of axis 1 (``f``) and one elbow (``e``): two slots, one per sign of axis 5."""
    assume_noalias()
    side, d, a1, lower_arm, forearm = abs(p[D]), p[D], p[A1], p[LOWER_ARM], p[FOREARM]
    most, least, excess = (
        lower_arm + forearm,
        abs(lower_arm - forearm),
        (lower_arm - forearm) * (lower_arm + forearm),
    )
    front, up = f > 0.0, e > 0.0
    for j in range(groups * uint64(8)):
        # axis 1
        px, py, z = b[at(25, j)], b[at(26, j)], b[at(27, j)]
        rho = np.sqrt(px * px + py * py)
        gap = rho - side
        above = gap < SINGULAR
        wide = gap if gap > 0.0 else 0.0
        X = 0.0 if above else f * np.sqrt(wide * (rho + side))
        s1, c1 = X * py - d * px, X * px + d * py
        size = np.sqrt(s1 * s1 + c1 * c1)
        free = size == 0.0
        size = 1.0 / (1.0 if free else size)
        s1, c1 = p[FREE] if free else s1 * size, p[FREE + 1] if free else c1 * size
        # both arms
        r = X - a1
        c = np.sqrt(r * r + z * z)
        outer, inner = most - c, c - least
        least_gap = outer if outer < inner else inner
        straight = least_gap < SINGULAR
        area = outer * (most + c) * inner * (c + least)
        S = 0.0 if straight else e * f * np.sqrt(area)
        lower, upper = c * c + excess, c * c - excess
        folded = c < SINGULAR
        size = 1.0 / (1.0 if folded else c * np.sqrt(lower * lower + S * S))
        sa = p[FREE + 2] if folded else (r * lower - z * S) * size
        ca = p[FREE + 3] if folded else (z * lower + r * S) * size
        size = 1.0 / (1.0 if folded else c * np.sqrt(upper * upper + S * S))
        sb = -p[FREE + 2] if folded else (r * upper + z * S) * size
        cb = -p[FREE + 3] if folded else (z * upper - r * S) * size
        beyond, aside = -least_gap if least_gap < 0.0 else 0.0, wide - gap
        beyond = np.sqrt(beyond * beyond + aside * aside)
        missing[j] = beyond if beyond < missing[j] else missing[j]
        there = (beyond <= REACH) & (front | (not above)) & (up | (not straight))
        # wrist: W = C Ry(-x3) Rz(-x1) M = Rz(x4) Ry(x5) Rz(x6), column by column
        u, v, w = b[at(16, j)], b[at(19, j)], b[at(22, j)]
        u, v = c1 * u + s1 * v, c1 * v - s1 * u
        u, w = cb * u - sb * w, sb * u + cb * w
        W00, W10 = dot(p[24], p[25], p[26], u, v, w), dot(p[27], p[28], p[29], u, v, w)
        u, v, w = b[at(17, j)], b[at(20, j)], b[at(23, j)]
        u, v = c1 * u + s1 * v, c1 * v - s1 * u
        u, w = cb * u - sb * w, sb * u + cb * w
        W01, W11 = dot(p[24], p[25], p[26], u, v, w), dot(p[27], p[28], p[29], u, v, w)
        u, v, w = b[at(18, j)], b[at(21, j)], b[at(24, j)]
        u, v = c1 * u + s1 * v, c1 * v - s1 * u
        u, w = cb * u - sb * w, sb * u + cb * w
        W02, W12 = dot(p[24], p[25], p[26], u, v, w), dot(p[27], p[28], p[29], u, v, w)
        W22 = dot(p[30], p[31], p[32], u, v, w)
        h = np.sqrt(W02 * W02 + W12 * W12)
        in_line = h < SINGULAR
        size = p[WRIST_SIGN] / (1.0 if in_line else h)
        s4, c4 = p[FREE + 4] if in_line else W12 * size, p[FREE + 5] if in_line else W02 * size
        x1, x2, x3 = atan2(s1, c1), atan2(sa, ca), atan2(sb, cb)
        x4, x5 = atan2(s4, c4), atan2(c4 * W02 + s4 * W12, W22)
        x6 = atan2(c4 * W10 - s4 * W00, c4 * W11 - s4 * W01)
        # the second slot has the wrist flipped
        flags = (
            1.0 + (4.0 if in_line else 0.0) + (8.0 if straight else 0.0) + (16.0 if above else 0.0)
        )
        q1, q2, q3, q4, q5, q6, inside = axes(p, x1, x2, x3, x4, x5, x6)
        bits[at(0, j)] = (flags + (2.0 if inside else 0.0)) if there else 0.0
        out[at(0, j)], out[at(1, j)] = q1 if there else np.nan, q2 if there else np.nan
        out[at(2, j)], out[at(3, j)] = q3 if there else np.nan, q4 if there else np.nan
        out[at(4, j)], out[at(5, j)] = q5 if there else np.nan, q6 if there else np.nan
        there = there & (not in_line)
        half = 3.141592653589793
        q1, q2, q3, q4, q5, q6, inside = axes(p, x1, x2, x3, x4 - half, -x5, x6 - half)
        bits[at(1, j)] = (flags + (2.0 if inside else 0.0)) if there else 0.0
        out[at(6, j)], out[at(7, j)] = q1 if there else np.nan, q2 if there else np.nan
        out[at(8, j)], out[at(9, j)] = q3 if there else np.nan, q4 if there else np.nan
        out[at(10, j)], out[at(11, j)] = q5 if there else np.nan, q6 if there else np.nan


@compiled(void(vector, vector, vector, vector, vector, uint64))
def solve(b, p, out, bits, missing, groups):
    """Solve the poses of a block."""
    prepare(b, p, groups)
    missing[:] = np.inf
    for k in range(4):
        f, e = 1.0 - 2.0 * (k // 2), 1.0 - 2.0 * (k % 2)
        branch(b, p, out[12 * k * PITCH :], bits[2 * k * PITCH :], missing, f, e, groups)


@compiled(int64(vector, vector, vector, uint8[::1], vector, uint64, uint64))
def rows(T, p, q, bits, missing, begin, end):
    """Solve the poses begin .. end of flat ``(N, 4, 4)``.

    Return the first that is no rigid motion, or -1. One that is not finite does not count, and
    gets NaN.
    """
    b, out, flags, lost = (
        np.zeros(29 * PITCH),
        np.empty(48 * PITCH),
        np.empty(8 * PITCH),
        np.empty(PITCH),
    )
    bad = int64(-1)
    for start in range(begin, end, uint64(BLOCK)):
        size = min(uint64(BLOCK), end - start)
        whole = size // uint64(8) * uint64(8)
        for j in range(size):
            for k in range(16):
                b[at(k, j)] = T[uint64(16) * (start + j) + uint64(k)]
        solve(b, p, out, flags, lost, (size + uint64(7)) // uint64(8))
        for j in range(uint64(0), whole, uint64(8)):
            for k in range(uint64(0), uint64(48), uint64(8)):
                transpose(
                    out, ROWS, k, uint64(PITCH), j, q, uint64(48) * (start + j) + k, uint64(48)
                )
        for j in range(whole, size):
            for k in range(48):
                q[uint64(48) * (start + j) + uint64(k)] = out[at(k, j)]
        for j in range(size):
            for k in range(8):
                bits[uint64(8) * (start + j) + uint64(k)] = uint8(flags[at(k, j)])
            missing[start + j] = lost[j] if lost[j] > REACH else 0.0
        for j in range(size):
            off = b[at(28, j)]
            if not off <= RIGID:
                if off > RIGID:
                    bad = int64(start + j) if bad < 0 else bad
                missing[start + j] = np.nan
                for k in range(8):
                    bits[uint64(8) * (start + j) + uint64(k)] = uint8(0)
                for k in range(48):
                    q[uint64(48) * (start + j) + uint64(k)] = np.nan
    return bad


@compiled(int64(float64[:, :], vector, matrix, uint8[::1], vector))
def one(T, p, q, bits, missing):
    """Solve one pose: fill in its solutions one after the other, and return how many there are.

    -1 if it is no rigid motion.
    """
    b, out, flags, lost = (
        np.empty(29 * PITCH),
        np.empty(48 * PITCH),
        np.empty(8 * PITCH),
        np.empty(8),
    )
    for k in range(16):
        for j in range(uint64(8)):
            b[at(k, j)] = T[k // 4, k % 4]
    solve(b, p, out, flags, lost, uint64(1))
    if not b[at(28, uint64(0))] <= RIGID:
        return -1
    missing[0] = lost[0] if lost[0] > REACH else 0.0
    count = 0
    for slot in range(8):
        flag = flags[at(slot, uint64(0))]
        if flag > 0.0:
            bits[count] = uint8(flag)
            for i in range(6):
                q[count, i] = out[at(6 * slot + i, uint64(0))]
            count += 1
    return count
